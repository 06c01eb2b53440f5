// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backend/control/core/desk.h"
#include "backend/control/network/mesh_devices.h"
#include "backend/control/types/note_limiter.h"

namespace divisi::control::inline network {

/// The orchestrator's side of the MICs: it tells each gateway which units run in its MIC and how far their instances
/// are, and keeps and logs what the gateway makes of it. Nothing of it is durable: gateways are told again when they
/// register.
class Mics {
public:
    Mics(Desk& desk, MeshDevices& devices) : desk_(desk), devices_(devices) {}

    void handle(const Received& received, const MicReport& message);
    void handle(const Received& received, const QueryMics& message);
    void follow(const Event& event);
    /// After each input: tells gateways what has changed of tasks, and all of it to those that have registered.
    void look();
    /// Every now and then: the accounts that instances have given since the last call.
    void pass_on(const std::vector<InstanceLoad>& loads);

    MicsState state() const;

    /// A chain that stands, as a gateway says for the first time.
    struct Stalled {
        TaskId task;
        std::string gateway, what;
    };
    /// Since the last call.
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

    Desk& desk_;
    MeshDevices& devices_;
    std::map<std::string, Known> known_;                  ///< by gateway
    std::map<TaskId, std::set<std::string>> watched_by_;  ///< the gateways that were told of its units
    std::set<TaskId> changed_;
    std::vector<Stalled> stalled_;
};

/// "nothing of gpt-1/stage-0/0/forward reaches gpt-1/stage-1/0/forward": what is broken, in words.
std::string line_of(const mesh::mic::Broken& broken);

}  // namespace divisi::control::inline network
