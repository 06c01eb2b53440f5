// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "backend/link/mesh_port.h"
#include "backend/link/sockets.h"
#include "backend/link/zmq_transport.h"
#include "tests/bench/mesh/plain_tcp.h"

namespace divisi::bench {

// Gateways and routers on ipc, or on tcp without CURVE, and the ends that send and receive through them.

inline constexpr std::size_t chunk_bytes = frame::max_chunk_bytes;
/// Timeout of a stream that no longer moves, in seconds.
inline constexpr double patience_s = 120;

[[noreturn]] void give_up(const std::string& what);
double seconds_since(std::chrono::steady_clock::time_point begin);
double median(std::vector<double> values);
/// Returns the median of the ratios of each round. A disturbance that slows down a whole round affects both values of
/// the round.
double median_ratio(const std::vector<double>& ours, const std::vector<double>& theirs);

/// The transport that carries frames from one device to the next.
enum class Wire { ipc, tcp };

/// Owns the sockets' folder and removes it at the end. On tcp, the names are also names of files.
class Sockets {
public:
    explicit Sockets(Wire wire = Wire::ipc);
    ~Sockets();
    std::string address(const std::string& name) const;
    /// Creates a transport for one thread.
    std::unique_ptr<link::Transport> transport(link::Context& context, link::EventLoop& loop) const;

private:
    std::filesystem::path folder_;
    Wire wire_;
    std::shared_ptr<Ports> ports_ = std::make_shared<Ports>();
};

/// One thread with a loop. Its objects are created and destroyed on that thread.
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
    link::EventLoop& loop() { return *loop_.load(); }

private:
    std::atomic<bool> ready_ = false;
    std::atomic<link::EventLoop*> loop_ = nullptr;
    std::thread thread_;
};

/// A mesh with several senders and one receiver: `sources` instances in the MIC of device 1 send to one instance in the
/// MIC of device 2.
struct Plan {
    struct Row {
        std::uint16_t id;
        const char* name;
        const char* mic;  ///< empty: a router
    };
    std::vector<Row> devices;
    std::vector<std::pair<std::uint16_t, std::uint16_t>> links;
    std::uint64_t window = mesh::RelayConfig().window;
    std::map<std::uint16_t, std::map<mesh::RoutingId, link::Impairment>> faults;  ///< faults of each device
    int sources = 1;
    bool admission = true;  ///< gateways check who may send, as in a cluster
    /// A second flow over the same path.
    struct CompetingFlow {
        TaskId task;
        Sid source, destination;
    };
    std::optional<CompetingFlow> competing = {};
};
/// mg-1 - mg-2: neighbours without routers.
Plan neighbours();
/// mg-1 - sr-3 - sr-4 - mg-2.
Plan line();
/// mg-1 - sr-3 - mg-2, and mg-1 - sr-4 - sr-5 - mg-2.
Plan two_ways();

Sid source(int number);
Sid destination();

/// A gateway or router of the plan.
struct Relaying {
    Relaying(link::Context& context, link::EventLoop& loop, const Sockets& sockets, const Plan& plan,
             std::uint16_t device);
    std::unique_ptr<link::Transport> transport;
    std::optional<mesh::Admission> admission;
    link::MeshPort port;

private:
    void admit(const Plan& plan, std::uint16_t device, TimePoint now);
};

/// Shared memory through which a router process reports to its parent, every millisecond.
struct Told {
    std::atomic<bool> ready;
    std::atomic<std::uint64_t> held, promised, bytes;
};
/// One of the plan's devices in a separate process, like divisi-router. Create it while this process has only one
/// thread.
class RouterProcess {
public:
    RouterProcess(const Sockets& sockets, const Plan& plan, std::uint16_t device);
    ~RouterProcess();
    RouterProcess(const RouterProcess&) = delete;
    RouterProcess& operator=(const RouterProcess&) = delete;
    void signal(int number) const;
    const Told& told() const { return *told_; }
    /// Returns the resident memory of the process, in bytes.
    std::uint64_t resident() const;

private:
    pid_t pid_ = 0;
    Told* told_ = nullptr;
};

/// The receiving instance: counts chunks.
struct Receiving {
    Receiving(link::Context& context, link::EventLoop& loop, const Sockets& sockets, std::atomic<int>& count,
              const std::string& name = "b");
    std::unique_ptr<link::Transport> transport;
    std::unique_ptr<link::Listener> data, lane;
};

/// The sending instances, which take turns. They send as fast as their gateway accepts chunks, with at most `slots`
/// chunks in flight, as tensor slots would allow.
struct Sending {
    Sending(link::Context& context, link::EventLoop& loop, const Sockets& sockets, const Plan& plan, int chunks,
            int slots, std::atomic<int>& arrived);
    void pump();
    std::unique_ptr<link::Transport> transport;
    std::shared_ptr<std::vector<std::byte>> payload;
    std::vector<frame::FrameHeader> headers;  ///< one header for each source
    std::unique_ptr<link::Channel> channel;
    int chunks, slots, sent = 0;
    std::atomic<int>& arrived;
};

/// Returns the seconds that a stream of `chunks` chunks takes through the plan's devices, each a thread of this
/// process.
double stream_s(const Plan& plan, int chunks, Wire wire = Wire::ipc);

}  // namespace divisi::bench
