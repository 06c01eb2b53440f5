// SPDX-License-Identifier: Apache-2.0
// A stream of chunks through gateways and routers, beside the same stream through bare zmq_proxy hops. All on ipc, each
// device a thread with a context of its own.
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "backend/frame/crc32c.h"
#include "backend/link/mesh_port.h"
#include "backend/link/sockets.h"
#include "backend/link/zmq_transport.h"
#include "tests/bench/mesh/benches.h"

namespace divisi::bench {
namespace {

using std::chrono::steady_clock;
constexpr std::size_t chunk_bytes = frame::max_chunk_bytes;
const Sid source("task/stage-0/0"), destination("task/stage-1/0");

std::filesystem::path folder() {
    return std::filesystem::temp_directory_path() / ("dv-bench-" + std::to_string(::getpid()));
}
std::string address(const std::string& name) { return "ipc://" + (folder() / name).string(); }

[[noreturn]] void give_up(const std::string& what) {
    std::fprintf(stderr, "divisi-bench-mesh: %s\n", what.c_str());
    std::exit(1);
}

double seconds_since(steady_clock::time_point begin) {
    return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

// --- the baseline --------------------------------------------------------------------------------

/// Seconds that `chunks` take over this many zmq_proxy hops, each with two parts as a frame has.
double over_proxies(int hops, int chunks) {
    std::vector<void*> contexts;
    std::vector<std::thread> proxies;
    const auto open = [&](void* context, int type) {
        void* socket = zmq_socket(context, type);
        const int queued = 16, none = 0;
        zmq_setsockopt(socket, ZMQ_SNDHWM, &queued, sizeof queued);
        zmq_setsockopt(socket, ZMQ_RCVHWM, &queued, sizeof queued);
        zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none);
        return socket;
    };
    const auto at = [](int hop) { return address("p" + std::to_string(hop)); };
    void* ends = zmq_ctx_new();
    void* pull = open(ends, ZMQ_PULL);
    if (zmq_bind(pull, at(hops).c_str()) != 0) give_up("cannot bind");
    for (int hop = hops; hop-- > 0;) {
        void* context = zmq_ctx_new();
        void* in = open(context, ZMQ_PULL);
        void* out = open(context, ZMQ_PUSH);
        if (zmq_bind(in, at(hop).c_str()) != 0 || zmq_connect(out, at(hop + 1).c_str()) != 0) give_up("cannot bind");
        contexts.push_back(context);
        proxies.emplace_back([in, out] {
            zmq_proxy(in, out, nullptr);
            zmq_close(in);
            zmq_close(out);
        });
    }
    void* other = zmq_ctx_new();
    void* push = open(other, ZMQ_PUSH);
    if (zmq_connect(push, at(0).c_str()) != 0) give_up("cannot connect");
    const std::vector<std::byte> payload(chunk_bytes);
    const std::string header(300, 'h');
    const auto begin = steady_clock::now();
    std::thread sender([&] {
        for (int i = 0; i < chunks; ++i) {
            zmq_send(push, header.data(), header.size(), ZMQ_SNDMORE);
            zmq_msg_t part;
            zmq_msg_init_data(
                &part, const_cast<std::byte*>(payload.data()), payload.size(), [](void*, void*) {}, nullptr);
            zmq_msg_send(&part, push, 0);
        }
    });
    for (int i = 0; i < 2 * chunks; ++i) {
        zmq_msg_t part;
        zmq_msg_init(&part);
        zmq_msg_recv(&part, pull, 0);
        zmq_msg_close(&part);
    }
    const double seconds = seconds_since(begin);
    sender.join();
    zmq_close(push);
    zmq_close(pull);
    zmq_ctx_term(other);
    zmq_ctx_term(ends);
    for (void* context : contexts) zmq_ctx_shutdown(context);
    for (std::thread& proxy : proxies) proxy.join();
    for (void* context : contexts) zmq_ctx_term(context);
    return seconds;
}

// --- the mesh ------------------------------------------------------------------------------------

/// One thread with a loop; what it has is made and destroyed there.
class Actor {
public:
    template <typename Make>
    explicit Actor(Make make) {
        thread_ = std::thread([this, make] {
            link::Context context;
            link::EventLoop loop;
            loop_ = &loop;
            auto held = make(context, loop);
            ready_ = true;
            loop.run();
        });
        while (!ready_) std::this_thread::yield();
    }
    ~Actor() {
        loop_.load()->stop();
        thread_.join();
    }

private:
    std::atomic<bool> ready_ = false;
    std::atomic<link::EventLoop*> loop_ = nullptr;
    std::thread thread_;
};

struct Device {
    std::uint16_t id;
    const char* name;
    const char* mic;
};
constexpr Device devices[] = {{1, "mg-1", "mic-1"}, {2, "mg-2", "mic-2"}, {3, "sr-1", ""}, {4, "sr-2", ""}};

mesh::Topology topology() {
    std::vector<mesh::Device> rows;
    for (const Device& one : devices)
        rows.push_back({mesh::RoutingId(one.id), one.name,
                        *one.mic ? mesh::DeviceRole::gateway : mesh::DeviceRole::router, MicId(one.mic),
                        address(one.name) + ".data " + address(one.name) + ".lane", "", true, 0});
    mesh::Topology all;
    if (!all.set(rows, {{mesh::RoutingId(1), mesh::RoutingId(3), 1e-4, 1e9, 0, true},
                        {mesh::RoutingId(3), mesh::RoutingId(4), 1e-4, 1e9, 0, true},
                        {mesh::RoutingId(4), mesh::RoutingId(2), 1e-4, 1e9, 0, true}}))
        give_up("no topology");
    return all;
}

/// A gateway or router of the mesh.
struct Relaying {
    Relaying(link::Context& context, link::EventLoop& loop, const Device& device, std::uint64_t window)
        : transport(context, loop), port(loop, transport, device.name, {}) {
        if (const auto listening = port.listen(address(device.name)); !listening) give_up(listening.error().message());
        mesh::RelayConfig config;
        config.self = mesh::RoutingId(device.id);
        config.role = *device.mic ? mesh::DeviceRole::gateway : mesh::DeviceRole::router;
        config.window = window;
        config.buffer = std::max(config.buffer, 2 * window);
        port.start(config);
        const std::map<std::uint64_t, mesh::Place> places = {
            {frame::flow_id(source), {TaskId("task"), source, mesh::RoutingId(1)}},
            {frame::flow_id(destination), {TaskId("task"), destination, mesh::RoutingId(2)}}};
        link::MeshPort::Instances instances;
        if (device.id == 2) instances[frame::flow_id(destination)] = {address("b.data") + " " + address("b.lane"), ""};
        port.set_table(topology(), places, instances);
    }
    link::ZmqTransport transport;
    link::MeshPort port;
};

/// The instance that receives: counts chunks.
struct Receiving {
    Receiving(link::Context& context, link::EventLoop& loop, std::atomic<int>& count) : transport(context, loop) {
        link::Listener::Events events;
        events.message = [&count](const std::string&, const link::Credentials&, const link::Parts&) { ++count; };
        auto made = transport.listen({address("b.data"), link::Purpose::data, false}, events);
        auto other = transport.listen({address("b.lane"), link::Purpose::lane, false}, {});
        if (!made || !other) give_up((made ? other : made).error().message());
        data = *std::move(made);
        lane = *std::move(other);
    }
    link::ZmqTransport transport;
    std::unique_ptr<link::Listener> data, lane;
};

/// The instance that sends, as fast as its gateway takes it but for what its tensor slots would allow: so many chunks
/// on the way.
struct Sending {
    Sending(link::Context& context, link::EventLoop& loop, int chunks, int slots, std::atomic<int>& arrived)
        : loop(loop),
          transport(context, loop),
          payload(std::make_shared<std::vector<std::byte>>(chunk_bytes)),
          chunks(chunks),
          slots(slots),
          arrived(arrived) {
        link::Channel::Events events;
        events.up = [this] { pump(); };
        auto made = transport.connect({address("mg-1") + ".data", ""}, link::Purpose::data, "a", events);
        if (!made) give_up("cannot connect");
        channel = *std::move(made);
        loop.every(std::chrono::microseconds(200), [this] { pump(); });
        header.key.task = frame::flow_id(TaskId("task"));
        header.source = {frame::flow_id(source), 1};
        header.destination = {frame::flow_id(destination), 1};
        header.dtype = graph::DType::uint8;
        header.dims = {static_cast<std::int64_t>(chunk_bytes)};
        header.total_bytes = chunk_bytes;
        header.payload_bytes = chunk_bytes;
        header.payload_crc = frame::crc32c(*payload);
    }
    void pump() {
        while (channel && sent < chunks && sent - arrived < slots) {
            header.key.step = sent;
            const link::Parts parts{link::Part::of(frame::encode_header(header).value()),
                                    {payload, std::span<const std::byte>(*payload)}};
            if (channel->send(parts) != link::Sent::yes) return;
            ++sent;
        }
    }
    link::EventLoop& loop;
    link::ZmqTransport transport;
    std::shared_ptr<std::vector<std::byte>> payload;
    frame::FrameHeader header;
    std::unique_ptr<link::Channel> channel;
    int chunks, slots, sent = 0;
    std::atomic<int>& arrived;
};

double over_mesh(int chunks, std::uint64_t window) {
    std::atomic<int> arrived = 0;
    constexpr int slots = 64;
    std::vector<std::unique_ptr<Actor>> actors;
    actors.push_back(std::make_unique<Actor>([&](link::Context& context, link::EventLoop& loop) {
        return std::make_unique<Receiving>(context, loop, arrived);
    }));
    for (const Device& device : devices)
        actors.push_back(std::make_unique<Actor>([&](link::Context& context, link::EventLoop& loop) {
            return std::make_unique<Relaying>(context, loop, device, window);
        }));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // all connections are up
    const auto begin = steady_clock::now();
    actors.push_back(std::make_unique<Actor>([&](link::Context& context, link::EventLoop& loop) {
        return std::make_unique<Sending>(context, loop, chunks, slots, arrived);
    }));
    while (arrived < chunks) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (seconds_since(begin) > 120) give_up("only " + std::to_string(arrived) + " chunks arrived");
    }
    const double seconds = seconds_since(begin);
    while (!actors.empty()) actors.pop_back();
    return seconds;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace

int relay_bench(const Arguments& arguments) {
    const int chunks = arguments.empty() ? 1000 : std::max(1, std::atoi(arguments.front()));
    constexpr int rounds = 5;
    if (auto made = link::make_private_folder(folder()); !made) give_up(made.error().message());
    std::vector<double> proxies, same_hops, mesh, unlimited;
    for (int round = 0; round < rounds; ++round) {
        proxies.push_back(over_proxies(2, chunks));
        same_hops.push_back(over_proxies(4, chunks));
        mesh.push_back(over_mesh(chunks, mesh::RelayConfig().window));
        unlimited.push_back(over_mesh(chunks, mesh::most_window));
    }
    std::filesystem::remove_all(folder());
    const double megabytes = static_cast<double>(chunks) * chunk_bytes / 1e6;
    const auto rate = [&](const std::vector<double>& times) { return megabytes / median(times); };
    std::printf("%d chunks of 1 MiB, medians of %d rounds, MB/s\n", chunks, rounds);
    std::printf("two zmq_proxy hops                              %8.0f\n", rate(proxies));
    std::printf("four zmq_proxy hops                             %8.0f  %.2f of two\n", rate(same_hops),
                rate(same_hops) / rate(proxies));
    std::printf("gateway, two routers, gateway, window 8 MiB     %8.0f  %.2f of two, %.2f of four\n", rate(mesh),
                rate(mesh) / rate(proxies), rate(mesh) / rate(same_hops));
    std::printf("the same, credit without limit                  %8.0f  %.2f of it with the window\n", rate(unlimited),
                rate(mesh) / rate(unlimited));
    return 0;
}

}  // namespace divisi::bench
