// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend/staging/stage_graph.h"

namespace divisi::staging {

/// Most downward-closed sets that are looked through for an exact answer: about a second and 100 MB.
/// Inception-v3 has 221,566.
inline constexpr std::size_t most_ideals = 1'000'000;

/// All downward-closed sets (ideals) of a graph: each is the set of nodes before a possible stage boundary. Two that
/// differ by one node are neighbours. The boundaries of a partition are a chain of ideals, so a pass over the
/// neighbours in ascending size is a dynamic program over all partitions. A node that neither works nor has a value
/// to send is in every ideal that can hold it, since no boundary is worse for it.
class IdealLattice {
public:
    /// Nothing when there are more than `limit` ideals, or eight times as many pairs of neighbours, or when they
    /// would need more than a few hundred MB.
    static std::optional<IdealLattice> enumerate(const StageGraph& graph, std::size_t limit = most_ideals);

    std::size_t size() const { return work_.size(); }
    std::size_t neighbours() const { return below_.size(); }

    struct Answer {
        bool feasible = false;
        StageOf stage_of;  ///< when feasible
        Ticks next = 0;    ///< when not: no smaller limit is feasible either; at least the limit + 1
    };
    /// Finds a partition into at most `stages` stages without a stage or boundary above `limit`. One pass keeps, for
    /// every ideal and number of closed stages, the largest boundary at which its open stage can have begun.
    /// O(neighbours * stages), in practice with one or two numbers of stages an ideal.
    Answer fits(Ticks limit, std::int32_t stages) const;

private:
    explicit IdealLattice(const StageGraph& graph) : graph_(graph) {}
    class Builder;

    /// Nodes that lie in `ideal`.
    std::vector<bool> members(std::int32_t ideal) const;

    const StageGraph& graph_;
    std::vector<Ticks> work_, crossing_;  ///< of each ideal, in ascending size; the empty one is the first
    std::vector<std::uint32_t> begin_;    ///< of each ideal's lower neighbours in below_
    std::vector<std::int32_t> below_;
    std::vector<std::int32_t> added_;  ///< the node that the first lower neighbour lacks
};

}  // namespace divisi::staging
