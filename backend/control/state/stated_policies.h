// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/types/policy_settings.h"
#include "backend/task/cluster_file.h"

namespace divisi::control::inline state {

/// What [policy] of the cluster file sets. `invalid_input` with file and line for what parse_setting() refuses, for
/// nodes, keys and gateways that are not in the file, and for what can only be said while a task runs.
Result<std::vector<PolicySetting>> stated_policies(const task::ClusterSpec& spec);

}  // namespace divisi::control::inline state
