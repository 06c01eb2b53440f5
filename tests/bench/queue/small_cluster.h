// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QProcess>
#include <QTemporaryDir>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "backend/link/control_client.h"
#include "backend/link/event_loop.h"
#include "backend/link/zmq_transport.h"

namespace divisi::bench {

/// Runs divisid and two nodes from a build's programs in their own folder, and one client.
class SmallCluster {
public:
    explicit SmallCluster(QString programs) : programs_(std::move(programs)) {}
    ~SmallCluster();

    /// Starts the cluster. Returns false with a message if the cluster does not start.
    bool start();
    /// Submits a task, waits for the answer and returns the task's id. Exits if the task is refused.
    TaskId submit(const std::string& text);
    /// Processes messages for `seconds` seconds.
    void wait(double seconds);
    /// Returns the steps reported by all tasks.
    std::int64_t steps() const { return steps_; }
    /// Returns the longest iteration of the orchestrator's event loop, from its metrics; nothing if this build has no
    /// metrics.
    std::optional<double> longest_round_s() const;

private:
    bool launch(const QString& program, const QStringList& arguments);
    bool wait_until(const std::function<bool()>& done, double seconds);
    bool connect();

    QString programs_;
    QTemporaryDir folder_;
    std::vector<std::unique_ptr<QProcess>> processes_;
    std::string metrics_;  ///< host:port
    link::EventLoop loop_;
    link::Context context_;
    std::unique_ptr<link::ZmqTransport> transport_;
    std::unique_ptr<link::ControlClient> client_;
    std::size_t ready_nodes_ = 0;
    std::int64_t steps_ = 0;
};

}  // namespace divisi::bench
