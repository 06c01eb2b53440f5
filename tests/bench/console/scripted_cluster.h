// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTemporaryDir>
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "backend/control/protocol/snapshot_pages.h"
#include "backend/link/control_server.h"
#include "backend/link/event_loop.h"
#include "backend/link/zmq_transport.h"
#include "tests/bench/console/running_task.h"

namespace divisi::bench {

/// An orchestrator's sockets on a thread of their own, with a state that nobody but this bench changes: what a real
/// client connects to.
class ScriptedCluster {
public:
    static constexpr int stages = 16;

    ScriptedCluster();
    ~ScriptedCluster();
    ScriptedCluster(const ScriptedCluster&) = delete;
    ScriptedCluster& operator=(const ScriptedCluster&) = delete;

    /// What --connect takes.
    std::filesystem::path connection() const { return file_; }
    /// Sends so many messages within a second, evenly: of ten nine with a measurement and one with an event. Returns at
    /// once; flooding() says when it is over.
    void flood(std::int64_t messages);
    bool flooding() const { return flooding_; }
    /// How long the last flood took.
    double flood_s() const { return flood_s_; }
    std::int64_t measurements() const { return measurements_; }  ///< that were sent to somebody
    std::int64_t events() const { return events_; }              ///< that happened in floods
    int connections_lost() const { return lost_; }
    /// The state as it is sent, now; waits for the thread.
    std::string state_bytes();

private:
    void take(const control::Input& input);
    void happen(control::Event::Body body);
    void send_due();

    QTemporaryDir folder_{QDir::tempPath() + "/dv-XXXXXX"};
    std::filesystem::path file_;
    RunningTask task_{stages};
    // Of the thread, but for what is atomic.
    link::Context context_;
    link::EventLoop loop_;
    link::ZmqTransport transport_{context_, loop_};
    control::ClusterState state_;
    std::vector<control::Snapshot> pages_;
    std::vector<control::PeerId> peers_;  ///< that have subscribed
    std::int64_t due_ = 0, sent_ = 0, step_ = 0;
    TimePoint began_{};
    link::ControlServer server_;
    std::atomic<bool> flooding_ = false;
    std::atomic<double> flood_s_ = 0;
    std::atomic<std::int64_t> measurements_ = 0, events_ = 0;
    std::atomic<int> lost_ = 0;
    std::thread thread_;
};

/// As the wire has it, in all its pages: equal bytes are equal states.
std::string bytes_of(const control::ClusterState& state);

}  // namespace divisi::bench
