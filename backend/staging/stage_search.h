// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/staging/stage_graph.h"

namespace divisi::staging {

/// The best partition into at most `stages` stages that keeps to one of several topological orders (as given,
/// depth first, longest path first, least crossing first, some mixed by a fixed seed); on each order the cuts
/// are the best there are.
StageOf best_of_orders(const StageGraph& graph, std::int32_t stages);

/// Moves nodes to other stages, and swaps nodes of two stages, while that makes the slow stages and boundaries
/// faster. Never worse than `start`.
StageOf improve_by_moves(const StageGraph& graph, std::int32_t stages, const StageOf& start);

/// Pairs of neighbouring ideals that improve_by_lattices() may look at, each as often as it is looked at: some
/// tenths of a second.
inline constexpr std::size_t most_lattice_visits = 10'000'000;

/// A gap that is not worth more search.
inline constexpr double small_gap = 1e-4;

/// Large neighbourhoods: joins most nodes that share a stage in `start` at random (a fixed seed), finds the
/// optimum of what is left, and begins again from there. Never worse than `start`; stops within small_gap of
/// `lower`.
StageOf improve_by_lattices(const StageGraph& graph, std::int32_t stages, const StageOf& start, Ticks lower);

}  // namespace divisi::staging
