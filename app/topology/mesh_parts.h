// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "app/topology/natural_order.h"
#include "backend/control/protocol/message.h"
#include "backend/control/state/state.h"

namespace divisi::topology {

/// Two gateways or routers by name, the lower first.
using LinkName = std::pair<std::string, std::string>;
inline LinkName link_name(const std::string& a, const std::string& b) {
    return a < b ? LinkName{a, b} : LinkName{b, a};
}

/// What there is to place, by name: not how it is.
struct MeshParts {
    using Names = std::set<std::string, NaturalLess>;
    struct Mic {
        std::string gateway;  ///< empty: none is known
        Names nodes;
        bool operator==(const Mic&) const = default;
    };
    std::map<std::string, Mic, NaturalLess> mics;
    Names routers;
    std::set<LinkName> links;
    bool operator==(const MeshParts&) const = default;

    bool empty() const { return mics.empty() && routers.empty(); }
    /// Adds what is there now. What is not there any more stays, so that it keeps its place for when it comes back.
    void add(const control::ClusterState& cluster, const control::MeshState& mesh);
};

}  // namespace divisi::topology
