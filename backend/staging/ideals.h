// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend/staging/stage_graph.h"

namespace divisi::staging {

/// Limit for the downward-closed sets searched for an exact answer: about one second and 100 MB. Inception-v3 has
/// 221,566.
inline constexpr std::size_t most_ideals = 1'000'000;

/// All downward-closed sets (ideals) of a graph: each is the set of nodes before a possible stage boundary. Two ideals
/// that differ by one node are neighbours. The boundaries of a partition form a chain of ideals. One pass over the
/// neighbours in the order of their size is therefore a dynamic program over all partitions. A node without work and
/// without a value to send is in every ideal that can contain it. This makes no boundary worse.
class IdealLattice {
public:
    /// Enumerates the ideals. Empty if there are more than `limit` ideals, more than 8,000,000 pairs of neighbours, or
    /// if they would need more than a few hundred MB.
    static std::optional<IdealLattice> enumerate(const StageGraph& graph, std::size_t limit = most_ideals);

    std::size_t size() const { return work_.size(); }
    std::size_t neighbours() const { return below_.size(); }

    struct Answer {
        bool feasible = false;
        StageOf stage_of;  ///< set if feasible
        Ticks next = 0;    ///< if not feasible: the smallest limit that may be feasible; at least the tried limit + 1
    };
    /// Finds a partition into at most `stages` stages in which no stage or boundary exceeds `limit`. One pass stores,
    /// for every ideal and number of closed stages, the largest boundary at which the open stage can have begun. Time
    /// is O(neighbours * stages); in practice, an ideal has only one or two numbers of stages.
    Answer fits(Ticks limit, std::int32_t stages) const;

private:
    explicit IdealLattice(const StageGraph& graph) : graph_(graph) {}
    class Builder;

    /// Returns the nodes in `ideal`.
    std::vector<bool> members(std::int32_t ideal) const;

    const StageGraph& graph_;
    std::vector<Ticks> work_, crossing_;  ///< per ideal, in ascending size; the empty ideal is the first
    std::vector<std::uint32_t> begin_;    ///< per ideal: start of its lower neighbours in below_
    std::vector<std::int32_t> below_;
    std::vector<std::int32_t> added_;  ///< the node that is missing in the first lower neighbour
};

}  // namespace divisi::staging
