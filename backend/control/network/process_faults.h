// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/control/core/orchestrator_context.h"

namespace divisi::control::inline network {

/// Minimum age at which a node may be killed. The program that supervises the node counts an earlier death as a failed
/// start, and an embedded cluster ends after several failed starts.
inline constexpr Duration least_node_age = std::chrono::seconds(6);

/// Returns the error that refuses a fault in a cluster that was started without fault injection.
Error no_faults_here();

/// Injects process faults for demonstrations: instances that die or pause, and nodes that die with all their instances.
/// The node agents inject the faults. No other program knows of the faults, so that they are detected like real faults.
class ProcessFaults {
public:
    explicit ProcessFaults(OrchestratorContext& context) : context_(context) {}

    /// Allows faults; without this call they are refused. Call before the first message.
    void allow() { allowed_ = true; }
    void handle(const Received& received, const KillInstance& message);
    void handle(const Received& received, const KillNode& message);
    void handle(const Received& received, const PauseInstance& message);

private:
    Result<InstanceId> player_of(const Sid& sid) const;
    void fault(const Received& received, const Sid& sid, double pause_s, const std::string& what);
    void note(const Received& received, const TaskId& task, const std::string& what);

    OrchestratorContext& context_;
    bool allowed_ = false;
};

}  // namespace divisi::control::inline network
