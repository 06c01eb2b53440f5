// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "backend/control/protocol/message.h"

namespace divisi::control::inline policy {

/// Edges of one task's graph that pass where an abnormal state is.
using Edges = std::vector<const AbnormalFlow*>;
std::map<TaskId, Edges> edges_by_task(const std::vector<AbnormalFlow>& flows);
/// What an abnormal state reaches on the task graph (draft 002, 5.5): the units that need, at once or by others, what
/// these edges bring.
std::set<Sid> waiting_for(const std::vector<UnitView>& units, const Edges& edges);

Severity severity_of(mesh::AbnormalKind kind);
/// "sr-1 hears nothing from sr-2".
std::string what_of(const std::string& device, const std::string& neighbour, mesh::AbnormalKind kind);
/// What is logged of it for one task. `between` names a path.
std::string line_of(const std::string& what, mesh::AbnormalKind kind, const Edges& edges,
                    const std::vector<UnitView>& units,
                    const std::function<std::string(const std::vector<std::uint32_t>&)>& between);

}  // namespace divisi::control::inline policy
