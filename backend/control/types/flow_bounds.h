// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "backend/mesh/forwarding/usage_limits.h"
#include "backend/mesh/route/hops.h"

namespace divisi::control::inline types {

/// Returns the plausible part of a device's report about flows. Leaves out flows beyond the limit, and flows whose path
/// or names are too long. The limits of message parsing do not cover the length of a path, since a list of numbers
/// counts as one element, even if it is long.
template <typename Flow>
std::vector<Flow> plausible(const std::vector<Flow>& flows) {
    std::vector<Flow> taken;
    for (const Flow& flow : flows) {
        const auto longest =
            std::max({flow.task.value().size(), flow.source.value().size(), flow.destination.value().size()});
        if (flow.path.size() > mesh::most_hops || longest > mesh::most_text_bytes) continue;
        if (taken.size() == mesh::most_flows) break;
        taken.push_back(flow);
    }
    return taken;
}

}  // namespace divisi::control::inline types
