// SPDX-License-Identifier: Apache-2.0
// Compares a stream of chunks through gateways and routers with the same stream through bare zmq_proxy hops. Both run
// on ipc, and on tcp over the loopback interface without CURVE. Each device is a thread with its own context.
#include <zmq.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/bench/mesh/benches.h"
#include "tests/bench/mesh/relaying.h"

namespace divisi::bench {
namespace {

using std::chrono::steady_clock;

/// Binds the socket and returns its endpoint; on tcp the system chooses the port.
std::string bind_at(void* socket, Wire wire, const std::string& path) {
    char bound[256];
    std::size_t size = sizeof bound;
    if (zmq_bind(socket, wire == Wire::tcp ? "tcp://127.0.0.1:*" : path.c_str()) != 0 ||
        zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, bound, &size) != 0)
        give_up("cannot bind");
    return bound;
}

/// Returns the time in seconds of `chunks` chunks over this many zmq_proxy hops. Each chunk has two parts, like a
/// frame.
double over_proxies(int hops, int chunks, Wire wire) {
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
    const Sockets sockets;
    const auto at = [&](int hop) { return sockets.address("p" + std::to_string(hop)); };
    void* ends = zmq_ctx_new();
    void* pull = open(ends, ZMQ_PULL);
    std::string next = bind_at(pull, wire, at(hops));
    for (int hop = hops; hop-- > 0;) {
        void* context = zmq_ctx_new();
        void* in = open(context, ZMQ_PULL);
        void* out = open(context, ZMQ_PUSH);
        if (zmq_connect(out, next.c_str()) != 0) give_up("cannot connect");
        next = bind_at(in, wire, at(hop));
        contexts.push_back(context);
        proxies.emplace_back([in, out] {
            zmq_proxy(in, out, nullptr);
            zmq_close(in);
            zmq_close(out);
        });
    }
    void* other = zmq_ctx_new();
    void* push = open(other, ZMQ_PUSH);
    if (zmq_connect(push, next.c_str()) != 0) give_up("cannot connect");
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

/// Checks that relays reach the wanted share of the proxies' throughput, and that credit reaches the wanted share of
/// the throughput without a limit.
bool compare(Wire wire, int chunks) {
    constexpr int rounds = 5;
    /// Wanted ratio of the relays' throughput to that of the same number of proxies.
    constexpr double wanted = 0.8;
    /// Wanted share of the throughput without a credit limit.
    constexpr double wanted_of_free = 0.84;
    std::vector<double> proxies, same_hops, two_relays, mesh, unlimited, unasked;
    Plan free = line(), open = line();
    open.admission = false;
    free.window = mesh::most_window;
    for (int round = 0; round < rounds; ++round) {
        proxies.push_back(over_proxies(2, chunks, wire));
        two_relays.push_back(stream_s(neighbours(), chunks, wire));
        same_hops.push_back(over_proxies(4, chunks, wire));
        mesh.push_back(stream_s(line(), chunks, wire));
        unlimited.push_back(stream_s(free, chunks, wire));
        unasked.push_back(stream_s(open, chunks, wire));
    }
    const double megabytes = static_cast<double>(chunks) * chunk_bytes / 1e6;
    const auto rate = [&](const std::vector<double>& times) { return megabytes / median(times); };
    std::printf("on %s, %d chunks of 1 MiB, medians of %d rounds, MB/s\n",
                wire == Wire::tcp ? "tcp over loopback without CURVE" : "ipc", chunks, rounds);
    std::printf("two zmq_proxy hops                              %8.0f\n", rate(proxies));
    std::printf("four zmq_proxy hops                             %8.0f  %.2f of two\n", rate(same_hops),
                median_ratio(proxies, same_hops));
    // Gateways do all that routers do, and also check who may send.
    const double like = median_ratio(proxies, two_relays);
    std::printf("two gateways as neighbours, window 8 MiB        %8.0f  %.2f of two (wanted: %.2f)\n", rate(two_relays),
                like, wanted);
    std::printf("gateway, two routers, gateway, window 8 MiB     %8.0f  %.2f of two, %.2f of four\n", rate(mesh),
                median_ratio(proxies, mesh), median_ratio(same_hops, mesh));
    const double of_free = median_ratio(unlimited, mesh);
    std::printf("the same, credit without limit                  %8.0f  %.2f of it with the window (wanted: %.2f)\n",
                rate(unlimited), of_free, wanted_of_free);
    std::printf("the same, without admission                     %8.0f  %.2f of it with admission\n", rate(unasked),
                median_ratio(unasked, mesh));
    return like >= wanted && of_free >= wanted_of_free;
}

}  // namespace

int relay_bench(const Arguments& arguments) {
    const int chunks = arguments.empty() ? 1000 : std::max(1, std::atoi(arguments.front()));
    const bool on_ipc = compare(Wire::ipc, chunks), on_tcp = compare(Wire::tcp, chunks);
    return on_ipc && on_tcp ? 0 : 1;
}

}  // namespace divisi::bench
