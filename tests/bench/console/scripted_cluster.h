// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTemporaryDir>
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "backend/control/protocol/state_messages.h"
#include "backend/link/control_server.h"
#include "backend/link/event_loop.h"
#include "backend/link/zmq_transport.h"
#include "tests/bench/console/running_task.h"

namespace divisi::bench {

/// Runs an orchestrator's sockets on their own thread, with a state that only this bench changes. A real client
/// connects to it.
class ScriptedCluster {
public:
    static constexpr int stages = 16;

    ScriptedCluster();
    ~ScriptedCluster();
    ScriptedCluster(const ScriptedCluster&) = delete;
    ScriptedCluster& operator=(const ScriptedCluster&) = delete;

    /// Returns the value for --connect.
    std::filesystem::path connection() const { return file_; }
    /// Sends `messages` messages evenly within a second: nine of ten contain a measurement, and one of ten an event.
    /// Returns at once; flooding() says whether the flood has ended.
    void flood(std::int64_t messages);
    bool flooding() const { return flooding_; }
    /// Returns the duration of the last flood.
    double flood_s() const { return flood_s_; }
    std::int64_t measurements() const { return measurements_; }  ///< sent, once for each peer
    std::int64_t events() const { return events_; }              ///< raised in floods
    int connections_lost() const { return lost_; }
    /// Returns the current state as it would be sent; waits for the thread.
    std::string state_bytes();

private:
    void take(const control::Input& input);
    void happen(control::Event::Body body);
    void send_due();

    QTemporaryDir folder_{QDir::tempPath() + "/dv-XXXXXX"};
    std::filesystem::path file_;
    RunningTask task_{stages};
    // Used only by the thread, except for the atomic members.
    link::Context context_;
    link::EventLoop loop_;
    link::ZmqTransport transport_{context_, loop_};
    control::ClusterState state_;
    std::vector<control::Snapshot> pages_;
    std::vector<control::PeerId> peers_;  ///< subscribed peers
    std::int64_t due_ = 0, sent_ = 0, step_ = 0;
    TimePoint began_{};
    link::ControlServer server_;
    std::atomic<bool> flooding_ = false;
    std::atomic<double> flood_s_ = 0;
    std::atomic<std::int64_t> measurements_ = 0, events_ = 0;
    std::atomic<int> lost_ = 0;
    std::thread thread_;
};

/// Returns the wire encoding of the state with all its pages. Equal bytes mean equal states.
std::string bytes_of(const control::ClusterState& state);

}  // namespace divisi::bench
