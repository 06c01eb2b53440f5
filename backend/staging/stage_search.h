// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/staging/stage_graph.h"

namespace divisi::staging {

/// Returns the best partition into at most `stages` stages whose stages follow one of several topological orders. The
/// orders are: as given, depth first, longest path first, least crossing first, and some mixed by a fixed seed. On each
/// order, the cuts are optimal.
StageOf best_of_orders(const StageGraph& graph, std::int32_t stages);

/// Moves nodes to other stages, and swaps nodes of two stages, as long as slow stages and boundaries become faster. The
/// result is never worse than `start`.
StageOf improve_by_moves(const StageGraph& graph, std::int32_t stages, const StageOf& start);

/// Limit for visits of neighbouring ideals in improve_by_lattices(): a few tenths of a second. Repeated visits count.
inline constexpr std::size_t most_lattice_visits = 10'000'000;

/// Smaller relative gaps to the lower bound are not worth further search.
inline constexpr double small_gap = 1e-4;

/// Searches large neighbourhoods. Joins the nodes of each stage of `start`, except some random nodes (with a fixed
/// seed). Then finds the optimum of the smaller graph, and repeats from this optimum. Never worse than `start`. Stops
/// within small_gap of `lower`.
StageOf improve_by_lattices(const StageGraph& graph, std::int32_t stages, const StageOf& start, Ticks lower);

}  // namespace divisi::staging
