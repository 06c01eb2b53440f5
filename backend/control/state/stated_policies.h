// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/types/policy_settings.h"
#include "backend/task/cluster_file.h"

namespace divisi::control::inline state {

/// Returns the settings in [policy] of the cluster file. Fails (invalid_input), with file and line, for settings that
/// parse_setting() refuses, and for nodes, keys, gateways and routers that the file does not have. Also fails for
/// settings that apply only to running tasks, and for a setting that the file makes twice.
Result<std::vector<PolicySetting>> stated_policies(const task::ClusterSpec& spec);

}  // namespace divisi::control::inline state
