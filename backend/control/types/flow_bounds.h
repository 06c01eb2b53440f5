// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "backend/mesh/relay/relay.h"
#include "backend/mesh/route/hops.h"

namespace divisi::control::inline types {

/// What a device says of flows, without what it cannot have: more flows than there is room for, ways beyond the longest
/// that frames take, names that are none. A list of numbers counts as one element when a message is read, however long
/// it is, so that bounds there do not hold it.
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
