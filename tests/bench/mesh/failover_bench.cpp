// SPDX-License-Identifier: Apache-2.0
// Measures how soon a stream switches to the other path after a router on its path dies or falls silent.
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>

#include "backend/link/data_port.h"
#include "tests/bench/mesh/benches.h"
#include "tests/bench/mesh/relaying.h"

namespace divisi::bench {
namespace {

using std::chrono::steady_clock;
constexpr int tensors = 400;
constexpr std::size_t tensor_bytes = 1 << 20;
constexpr int most_under_way = 16;
const std::uint64_t task = frame::flow_id(TaskId("task"));

/// Counters of the two instances, written by their thread.
struct Counts {
    std::atomic<int> consumed = 0;  ///< tensors, counting repeated deliveries
    std::atomic<int> distinct = 0;
};

/// Both instances: one sends whole tensors and gets acknowledgements, the other consumes the tensors.
struct Ends {
    Ends(link::Context& context, link::EventLoop& loop, const Sockets& sockets, Counts& counts)
        : transport(context, loop), counts(counts) {
        a = port(loop, source(0), sockets.address("a0"));
        b = port(loop, destination(), sockets.address("b"));
        const auto gateway = [&](const char* name) {
            return sockets.address(name) + ".data " + sockets.address(name) + ".lane";
        };
        a->connect(destination(), 1, gateway("mg-1"));
        b->connect(source(0), 1, gateway("mg-2"));
        for (link::DataPort* one : {a.get(), b.get()}) one->enter(task, 1);
        loop.every(std::chrono::microseconds(500), [this] { pump(); });
    }
    std::unique_ptr<link::DataPort> port(link::EventLoop& loop, const Sid& sid, const std::string& endpoint) {
        link::DataPort::Events events;
        events.tensor = [this](frame::TensorFrame f) {
            b->release(f.key);
            steps.insert(f.key.step);
            ++counts.consumed;
            counts.distinct = static_cast<int>(steps.size());
        };
        events.trouble = [](const Error& error) { std::fprintf(stderr, "%s\n", error.message().c_str()); };
        auto made = std::make_unique<link::DataPort>(loop, transport, sid, 1, events);
        if (const auto listening = made->listen(endpoint); !listening) give_up(listening.error().message());
        return made;
    }
    void pump() {
        while (sent < tensors && sent - counts.distinct < most_under_way) {
            frame::TensorFrame f;
            f.key = {task, 1, frame::FrameKind::activation, 5, sent, 0};
            f.tensor = graph::HostTensor::of(graph::DType::uint8, {static_cast<std::int64_t>(tensor_bytes)}, values);
            if (!a->send(destination(), std::move(f))) return;
            ++sent;
        }
    }
    link::ZmqTransport transport;
    Counts& counts;
    std::unique_ptr<link::DataPort> a, b;
    std::vector<std::uint8_t> values = std::vector<std::uint8_t>(tensor_bytes, 7);
    std::set<std::int64_t> steps;
    int sent = 0;
};

struct Round {
    double switched_ms = 0;
    bool each_once = false;
};

Round one_round(int signal) {
    const Sockets sockets;
    const Plan plan = two_ways();
    const RouterProcess first(sockets, plan, 3), second(sockets, plan, 4), third(sockets, plan, 5);
    Counts counts;
    std::vector<std::unique_ptr<Actor>> actors;
    for (const std::uint16_t id : {1, 2})
        actors.push_back(std::make_unique<Actor>([&, id](link::Context& context, link::EventLoop& loop) {
            return std::make_unique<Relaying>(context, loop, sockets, plan, id);
        }));
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    actors.push_back(std::make_unique<Actor>([&](link::Context& context, link::EventLoop& loop) {
        return std::make_unique<Ends>(context, loop, sockets, counts);
    }));
    const auto begin = steady_clock::now();
    const auto until = [&](auto&& done) {
        while (!done()) {
            std::this_thread::sleep_for(std::chrono::microseconds(100));
            if (seconds_since(begin) > patience_s) give_up("the stream has stopped");
        }
    };
    until([&] { return counts.distinct >= tensors / 4; });
    if (third.told().bytes > 0) give_up("the stream used the backup path before the fault");
    const auto killed = steady_clock::now();
    first.signal(signal);
    until([&] { return third.told().bytes > 0; });
    Round round{1e3 * seconds_since(killed), false};
    until([&] { return counts.distinct == tensors; });
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    round.each_once = counts.consumed == tensors;
    while (!actors.empty()) actors.pop_back();
    return round;
}

}  // namespace

int failover_bench(const Arguments& arguments) {
    const int rounds = arguments.empty() ? 7 : std::max(1, std::atoi(arguments.front()));
    constexpr double wanted_ms = 300;
    bool good = true;
    std::printf(
        "ms from the signal to a router until the backup path's last router forwards, %d rounds; heartbeats come "
        "every 100 ms (wanted: within %.0f)\n",
        rounds, wanted_ms);
    for (const auto& [signal, name] : {std::pair(SIGKILL, "killed"), {SIGSTOP, "hangs, its connections stay"}}) {
        std::vector<double> times;
        int each_once = 0;
        for (int i = 0; i < rounds; ++i) {
            const Round round = one_round(signal);
            times.push_back(round.switched_ms);
            each_once += round.each_once;
        }
        std::printf("%-30s median %6.1f   worst %6.1f   all %d tensors consumed once: %d of %d rounds\n", name,
                    median(times), *std::ranges::max_element(times), tensors, each_once, rounds);
        good = good && each_once == rounds && (signal != SIGKILL || *std::ranges::max_element(times) <= wanted_ms);
    }
    return good ? 0 : 1;
}

}  // namespace divisi::bench
