// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <set>

#include "backend/control/message.h"

namespace divisi::control {

/// What an abnormal state reaches on the task graph (draft 002, 5.5), by task.
struct ImpactOnTask {
    std::vector<const AbnormalFlow*> edges;  ///< of the graph that pass where it is
    std::set<Sid> waiting;                   ///< units that need, at once or by others, what these edges bring
};
using Impact = std::map<TaskId, ImpactOnTask>;
Impact impact_of(const ClusterState& state, const std::vector<AbnormalFlow>& flows);

Severity severity_of(mesh::AbnormalKind kind);
/// What is logged: a line for each task that is reached, or one line without a task. `between` names a path.
std::map<TaskId, std::string> describe(const std::string& device, const std::string& neighbour,
                                       const AbnormalState& state, const Impact& impact,
                                       const std::function<std::string(const std::vector<std::uint32_t>&)>& between);

}  // namespace divisi::control
