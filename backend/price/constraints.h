// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/graph/graph.h"

namespace divisi::price {

/// A task's constraints on where its operators run. Nodes are named as in PlannedDevice::node.
struct CutConstraints {
    struct Pin {
        graph::NodeIndex node = graph::no_node;
        std::string place;  ///< the node that must run the operator
    };
    std::vector<Pin> pins;                           ///< pinned operators, each at most once
    std::vector<graph::NodeIndex> sensitive;         ///< operators that must stay on secure nodes
    std::optional<std::vector<std::string>> secure;  ///< the secure nodes; if not known, all are secure
    std::vector<std::string> stages;                 ///< node of each stage; an empty name or a missing entry allows
                                                     ///< any node

    bool empty() const { return pins.empty() && sensitive.empty() && stages.empty(); }
    bool is_secure(const std::string& place) const {
        if (!secure) return true;
        for (const std::string& name : *secure)
            if (name == place) return true;
        return false;
    }
};

}  // namespace divisi::price
