// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "backend/mesh/base/topology.h"

namespace divisi::mesh::inline base {

/// Computes the two_paths() from one device to many others, with the same `avoid`. All of them start with the same
/// shortest-path search, which runs only once. The topology must outlive this object and must not change meanwhile.
class PathsFrom {
public:
    PathsFrom(const Topology& topology, RoutingId from, Avoid avoid = {});
    ~PathsFrom();

    const Avoid& avoid() const { return avoid_; }
    /// Returns the two paths; nothing if there is no path.
    std::optional<Paths> to(RoutingId device) const;

private:
    struct Known;

    Avoid avoid_;
    std::unique_ptr<const Known> known_;
};

}  // namespace divisi::mesh::inline base
