// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include "backend/link/subscriber.h"
#include "tests/sim/process.h"

namespace divisi::sim {

/// A client that submits tasks and follows the cluster, as divisictl run and the console do.
class ClientProcess final : public Process {
public:
    ClientProcess(Surroundings around, Place place, std::set<std::string> wishes,
                  std::function<void(const std::string& wish, const TaskId&)> promised);

    /// Submits a task and retries until the orchestrator has accepted it.
    void wish(const std::string& text);
    void stop(const TaskId& task);
    /// Sends an operator's request. Returns false if the client is not connected. When the answer says that a re-cut is
    /// done, checks that the re-cut is durable.
    bool ask(control::Message message);
    const control::ClusterState& shown() const { return shown_; }

private:
    void submit(const std::string& text);
    void later(const std::string& text);

    std::function<void(const std::string& wish, const TaskId&)> promised_;
    std::set<std::string> wishes_;
    control::ClusterState shown_;
    link::ControlClient client_;
    link::Subscriber subscriber_;
    bool connected_ = false;
};

}  // namespace divisi::sim
