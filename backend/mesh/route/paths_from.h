// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "backend/mesh/base/topology.h"

namespace divisi::mesh::inline route {

/// The two_paths() from one device to each of many others, around the same obstacles: the search for shortest paths,
/// which all of them begin with, is made once. The topology outlives it, and does not change meanwhile.
class PathsFrom {
public:
    PathsFrom(const Topology& topology, RoutingId from, Avoid avoid = {});
    ~PathsFrom();

    const Avoid& avoid() const { return avoid_; }
    /// None where there is no path.
    std::optional<Paths> to(RoutingId device) const;

private:
    struct Known;

    Avoid avoid_;
    std::unique_ptr<const Known> known_;
};

}  // namespace divisi::mesh::inline route
