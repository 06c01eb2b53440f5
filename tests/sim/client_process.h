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

    /// A task that it wants to have queued, tried until the orchestrator has promised it.
    void wish(const std::string& text);
    void stop(const TaskId& task);
    /// An operator's wish, whose answer is waited for; false where it is not connected. A re-cut that is said to be
    /// done is.
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
