// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/network/mesh_devices.h"
#include "backend/control/types/mic_types.h"
#include "backend/control/types/note_limiter.h"

namespace divisi::control::inline network {

/// Manages the orchestrator's side of the MICs. Sends each gateway the units that run in its MIC, and the progress of
/// the instances in that MIC. Keeps and logs the dependency reports of the gateways. None of this is durable: a gateway
/// gets everything again when it registers.
class Mics {
public:
    Mics(OrchestratorContext& context, MeshDevices& devices) : context_(context), devices_(devices) {}

    void handle(const Received& received, const MicReport& message);
    void handle(const Received& received, const QueryMics& message);
    void follow(const Event& event);
    /// Tells gateways about changes of tasks, and newly registered gateways about all tasks. Called after each input.
    void poll();
    /// Forwards `loads`, the reports since the last call, to the gateways that run the same tasks. Called periodically.
    void pass_on(const std::vector<InstanceLoad>& loads);

    MicsState state() const;

    /// A stalled chain that a gateway has reported for the first time.
    struct Stalled {
        TaskId task;
        std::string gateway, what;
    };
    /// Returns the chains that stalled since the last call.
    std::vector<Stalled> take_stalled() { return std::exchange(stalled_, {}); }

private:
    struct Known {
        std::map<TaskId, mesh::mic::Part> told;
        std::map<TaskId, MicReport> reports;
        NoteLimiter notes;
    };
    std::map<InstanceId, MicId> mics_of(const TaskView& task) const;
    mesh::mic::Part part_of(const TaskView& task, const std::map<InstanceId, MicId>& mics, const MicId& mic) const;
    void tell(const TaskId& task);
    void forget(const std::string& gateway);
    void note_changes(const std::string& gateway, const MicReport& before, const MicReport& now);
    void note(const std::string& gateway, Severity severity, const TaskId& task, const std::string& line);
    std::string component_of(const std::string& gateway) const;
    Sid player_of(const TaskId& task, const Sid& unit) const;
    std::string way_of(const TaskId& task, const mesh::mic::Edge& edge) const;

    OrchestratorContext& context_;
    MeshDevices& devices_;
    std::map<std::string, Known> known_;                  ///< known MICs by gateway
    std::map<TaskId, std::set<std::string>> watched_by_;  ///< gateways that were told about the task's units
    std::set<TaskId> changed_;
    std::vector<Stalled> stalled_;
};

}  // namespace divisi::control::inline network
