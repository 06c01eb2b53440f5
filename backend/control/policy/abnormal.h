// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "backend/base/log.h"
#include "backend/control/types/policy_types.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline policy {

/// The edges of one task's graph whose flows pass the place of an abnormal state.
using Edges = std::vector<const AbnormalFlow*>;
std::map<TaskId, Edges> edges_by_task(const std::vector<AbnormalFlow>& flows);
/// Returns the units on the task graph that an abnormal state affects (draft 002, 5.5). These are the units that need
/// the data of `edges`, directly or through other units.
std::set<Sid> waiting_for(const std::vector<UnitView>& units, const Edges& edges);

Severity severity_of(mesh::AbnormalKind kind);
/// Describes an abnormal state, for example "sr-1 hears nothing from sr-2".
std::string what_of(const std::string& device, const std::string& neighbour, mesh::AbnormalKind kind);
/// Returns the log line about an abnormal state for one task. `between` names the devices of a path.
std::string line_of(const std::string& what, mesh::AbnormalKind kind, const Edges& edges,
                    const std::vector<UnitView>& units,
                    const std::function<std::string(const std::vector<std::uint32_t>&)>& between);

}  // namespace divisi::control::inline policy
