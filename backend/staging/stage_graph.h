// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "backend/staging/profile.h"

namespace divisi::staging {

/// A cost as an integer, so that sums do not depend on their order and an optimum can be proven. The costs of a graph
/// are within 2^60 (see StageScale), so its parts have a precision of 18 digits.
using Ticks = std::int64_t;

/// A value that crosses each boundary between its source and one of its targets.
struct Net {
    std::int32_t source = 0;
    std::vector<std::int32_t> targets;  ///< target nodes, ascending
    Ticks cost = 0;
};

/// A graph to be cut into stages. Nodes are in topological order: every edge ascends.
struct StageGraph {
    std::vector<Ticks> work;
    std::vector<std::vector<std::int32_t>> successors, predecessors;  ///< ascending, each once
    std::vector<Net> nets;                                            ///< nets, whose costs are all above 0

    std::int32_t size() const { return static_cast<std::int32_t>(work.size()); }
    Ticks total_work() const;
};

/// Converts milliseconds of a profile to ticks and back.
class StageScale {
public:
    /// Chooses the scale. `crossing_ms` is the cost of each node's output at a boundary. It is limited to twice the sum
    /// of all work, since a boundary that costs more than that sum is never useful.
    StageScale(const std::vector<double>& work_ms, const std::vector<double>& crossing_ms);
    Ticks ticks(double ms) const;
    double ms(Ticks ticks) const;

private:
    double most_ = 0;   ///< upper limit for the cost of a crossing
    double whole_ = 0;  ///< 2^60 ticks in ms
};

/// The stage of each node. Stages are numbered from 0, and no edge leads to a lower stage.
using StageOf = std::vector<std::int32_t>;

/// Returns the maximum over the work of each stage and the total cost of values that cross each boundary.
Ticks bottleneck(const StageGraph& graph, const StageOf& stage_of);

/// A graph whose nodes represent groups of nodes of another graph.
struct Contraction {
    StageGraph graph;
    std::vector<std::int32_t> group;  ///< group of each node of the other graph

    StageOf expand(const StageOf& stage_of_groups) const;
};

/// Joins the given pairs of nodes, and all nodes that would then be on a cycle through them.
Contraction contract(const StageGraph& graph, const std::vector<std::pair<std::int32_t, std::int32_t>>& joined);

/// Joins nodes that must share a stage if no boundary may cost more than `limit`: the ends of an edge whose crossing
/// alone costs more. Also joins inputs without work to their only consumer, because at least one optimum places them
/// there.
Contraction join_above(const StageGraph& graph, Ticks limit);

/// A set of nodes as bits: word i / word_bits of the set contains the bit of node i.
using Word = std::uint64_t;
inline constexpr std::size_t word_bits = 64;

inline bool has(const Word* set, std::int32_t node) { return set[node / word_bits] >> (node % word_bits) & 1; }
inline void insert(Word* set, std::int32_t node) { set[node / word_bits] |= Word{1} << (node % word_bits); }
inline void erase(Word* set, std::int32_t node) { set[node / word_bits] &= ~(Word{1} << (node % word_bits)); }

}  // namespace divisi::staging
