// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "app/topology/natural_order.h"
#include "backend/control/protocol/message_fwd.h"
#include "backend/control/state/state.h"

namespace divisi::topology {

/// The names of two gateways or routers, in ascending order.
using LinkName = std::pair<std::string, std::string>;
inline LinkName link_name(const std::string& a, const std::string& b) {
    return a < b ? LinkName{a, b} : LinkName{b, a};
}

/// The elements to place, by name, without their states.
struct MeshParts {
    using Names = std::set<std::string, NaturalLess>;
    struct Mic {
        std::string gateway;  ///< name of the gateway; empty: unknown
        Names nodes;
        bool operator==(const Mic&) const = default;
    };
    std::map<std::string, Mic, NaturalLess> mics;
    Names routers;
    std::set<LinkName> links;
    bool operator==(const MeshParts&) const = default;

    bool empty() const { return mics.empty() && routers.empty(); }
    /// Adds the current elements. Elements that have left are kept, so that they get the same place when they return.
    void add(const control::ClusterState& cluster, const control::MeshState& mesh);
};

}  // namespace divisi::topology
