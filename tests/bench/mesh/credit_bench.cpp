// SPDX-License-Identifier: Apache-2.0
// Compares credit with stop-and-wait over a long link. Measures the memory that a router holds while its receiver is
// stopped.
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/bench/mesh/benches.h"
#include "tests/bench/mesh/relaying.h"

namespace divisi::bench {
namespace {

using std::chrono::steady_clock;
constexpr double mib = 1 << 20;

/// Returns the line plan whose middle link has this round trip.
Plan long_line(Duration round_trip) {
    Plan plan = line();
    const link::Impairment late{false, 0, round_trip / 2};
    plan.faults[3][mesh::RoutingId(4)] = late;
    plan.faults[4][mesh::RoutingId(3)] = late;
    return plan;
}

/// Memory that the process uses besides its promised buffers: program, libraries, ZeroMQ and the allocator.
constexpr double least_rest_mib = 16;

struct Watched {
    double resident = 0, held = 0, promised = 0;  ///< peak of each, in MiB
    void sample(const RouterProcess& router) {
        resident = std::max(resident, static_cast<double>(router.resident()) / mib);
        held = std::max(held, static_cast<double>(router.told().held.load()) / mib);
        promised = std::max(promised, static_cast<double>(router.told().promised.load()) / mib);
    }
};

}  // namespace

int credit_bench(const Arguments& arguments) {
    const int chunks = arguments.empty() ? 100 : std::max(1, std::atoi(arguments.front()));
    constexpr int rounds = 5;
    constexpr double wanted = 3;
    constexpr Duration round_trip = std::chrono::milliseconds(20);
    const Plan credit = long_line(round_trip);
    Plan stop_and_wait = credit;
    stop_and_wait.window = chunk_bytes;
    std::vector<double> ours, theirs;
    for (int round = 0; round < rounds; ++round) {
        theirs.push_back(stream_s(stop_and_wait, chunks));
        ours.push_back(stream_s(credit, chunks));
    }
    const auto rate = [&](const std::vector<double>& times) {
        return chunks * double{chunk_bytes} / 1e6 / median(times);
    };
    const double faster = median_ratio(theirs, ours);
    std::printf("%d chunks of 1 MiB over a link with a round trip of 20 ms, medians of %d rounds, MB/s\n", chunks,
                rounds);
    std::printf("stop-and-wait: a window of one chunk    %8.0f\n", rate(theirs));
    std::printf("credit: a window of 8 MiB               %8.0f  %.1f times as fast (wanted: %.0f)\n", rate(ours),
                faster, wanted);
    return faster >= wanted ? 0 : 1;
}

int memory_bench(const Arguments& arguments) {
    const int seconds = arguments.empty() ? 30 : std::max(1, std::atoi(arguments.front()));
    constexpr int chunks = 1000, slots = 400;
    Plan plan = line();
    plan.sources = 6;
    const Sockets sockets;
    const RouterProcess router(sockets, plan, 3);
    std::atomic<int> arrived = 0;
    std::vector<std::unique_ptr<Actor>> actors;
    actors.push_back(std::make_unique<Actor>([&](link::Context& context, link::EventLoop& loop) {
        return std::make_unique<Receiving>(context, loop, sockets, arrived);
    }));
    Actor& receiver = *actors.front();
    for (const std::uint16_t id : {1, 2, 4})
        actors.push_back(std::make_unique<Actor>([&, id](link::Context& context, link::EventLoop& loop) {
            return std::make_unique<Relaying>(context, loop, sockets, plan, id);
        }));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    Watched rest, stopped, all;
    rest.sample(router);
    actors.push_back(std::make_unique<Actor>([&](link::Context& context, link::EventLoop& loop) {
        return std::make_unique<Sending>(context, loop, sockets, plan, chunks, slots, arrived);
    }));
    const auto until = [&](auto&& done, Watched& watched) {
        for (const auto begin = steady_clock::now(); !done();) {
            watched.sample(router);
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            if (seconds_since(begin) > patience_s) give_up("only " + std::to_string(arrived) + " chunks arrived");
        }
    };
    until([&] { return arrived >= chunks / 5; }, all);
    receiver.loop().post([seconds] { std::this_thread::sleep_for(std::chrono::seconds(seconds)); });
    const auto begin = steady_clock::now();
    until([&] { return seconds_since(begin) >= seconds - 0.5; }, stopped);
    until([&] { return arrived >= chunks; }, all);
    all.sample(router);
    while (!actors.empty()) actors.pop_back();

    const double limit = std::max(all.promised, stopped.promised) + rest.resident + least_rest_mib;
    const double most = std::max(all.resident, stopped.resident);
    std::printf("a router as a separate process with %d flows, whose receiver is stopped for %d s; MiB\n", plan.sources,
                seconds);
    std::printf("resident before the first chunk         %8.1f\n", rest.resident);
    std::printf("largest promised credit                 %8.1f\n", std::max(all.promised, stopped.promised));
    std::printf("largest size of the held chunks         %8.1f  while stopped %.1f\n", std::max(all.held, stopped.held),
                stopped.held);
    std::printf("largest resident memory                 %8.1f  while stopped %.1f\n", most, stopped.resident);
    std::printf("limit: promised credit + resident before + %.0f = %.1f\n", least_rest_mib, limit);
    return most <= limit && all.held <= all.promised ? 0 : 1;
}

}  // namespace divisi::bench
