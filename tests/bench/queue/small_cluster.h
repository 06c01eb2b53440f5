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

/// divisid and two nodes of a build's programs on a folder of their own, and one client.
class SmallCluster {
public:
    explicit SmallCluster(QString programs) : programs_(std::move(programs)) {}
    ~SmallCluster();

    /// False with a message where it does not come up.
    bool start();
    /// Its id; waits for the answer. Exits where it is refused.
    TaskId submit(const std::string& text);
    /// Lets `seconds` pass, while messages arrive.
    void wait(double seconds);
    /// Steps of all tasks that were heard of.
    std::int64_t steps() const { return steps_; }
    /// Of the orchestrator's event loop, by its metrics; none where this build has none.
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
