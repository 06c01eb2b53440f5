// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "backend/staging/profile.h"

namespace divisi::staging {

/// A cost as an integer, so that sums do not depend on their order and an optimum can be proven. The costs of
/// a graph are within 2^60 (see StageScale), which leaves its parts 18 digits.
using Ticks = std::int64_t;

/// A value that crosses each boundary with its source before and one of its targets after it.
struct Net {
    std::int32_t source = 0;
    std::vector<std::int32_t> targets;  ///< ascending
    Ticks cost = 0;
};

/// A graph that is to be cut into stages. Nodes are in a topological order: every edge ascends.
struct StageGraph {
    std::vector<Ticks> work;
    std::vector<std::vector<std::int32_t>> successors, predecessors;  ///< ascending, each once
    std::vector<Net> nets;                                            ///< of costs above 0

    std::int32_t size() const { return static_cast<std::int32_t>(work.size()); }
    Ticks total_work() const;
};

/// Milliseconds of a profile in ticks and back.
class StageScale {
public:
    /// `crossing_ms` is what the output of each node costs at a boundary; above twice the sum of all work it
    /// counts as that, since no boundary can be worth more than the sum.
    StageScale(const std::vector<double>& work_ms, const std::vector<double>& crossing_ms);
    Ticks ticks(double ms) const;
    double ms(Ticks ticks) const;

private:
    double most_ = 0;   ///< what a crossing counts at most
    double whole_ = 0;  ///< what 2^60 ticks are, in ms
};

/// Which stage each node is in; stages are numbered from 0 and no edge goes to a lower one.
using StageOf = std::vector<std::int32_t>;

/// The largest of the stages' work and of the costs of the values that cross each boundary between them.
Ticks bottleneck(const StageGraph& graph, const StageOf& stage_of);

/// A graph whose nodes stand for groups of nodes of another.
struct Contraction {
    StageGraph graph;
    std::vector<std::int32_t> group;  ///< of each node of the other graph

    StageOf expand(const StageOf& stage_of_groups) const;
};

/// Joins the given pairs of nodes, and all nodes that then lie on a cycle with them.
Contraction contract(const StageGraph& graph, const std::vector<std::pair<std::int32_t, std::int32_t>>& joined);

/// Joins what must share a stage where no boundary may cost more than `limit`: the ends of an edge whose
/// crossing alone costs more. Also joins inputs without work to their only consumer: some optimum has them there.
Contraction join_above(const StageGraph& graph, Ticks limit);

}  // namespace divisi::staging
