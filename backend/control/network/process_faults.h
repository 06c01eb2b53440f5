// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/control/core/desk.h"

namespace divisi::control::inline network {

/// A node that dies sooner counts for its host as one that does not stay up: after some, an embedded cluster ends.
inline constexpr Duration least_node_age = std::chrono::seconds(6);

/// What a cluster answers that was not started with faults allowed.
Error no_faults_here();

/// Faults that demonstrators make of processes: instances that die or stop for a while, and nodes that die with all
/// their instances. The nodes' agents make them, and nobody else is told: what follows is noticed as any other fault.
class ProcessFaults {
public:
    explicit ProcessFaults(Desk& desk) : desk_(desk) {}

    /// Before the first message; else they are refused.
    void allow() { allowed_ = true; }
    void handle(const Received& received, const KillInstance& message);
    void handle(const Received& received, const KillNode& message);
    void handle(const Received& received, const PauseInstance& message);

private:
    Result<InstanceId> player_of(const Sid& sid) const;
    void fault(const Received& received, const Sid& sid, double pause_s, const std::string& what);
    void note(const Received& received, const TaskId& task, const std::string& what);

    Desk& desk_;
    bool allowed_ = false;
};

}  // namespace divisi::control::inline network
