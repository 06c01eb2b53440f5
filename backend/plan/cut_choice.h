// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/cost.h"
#include "backend/graph/cuts.h"
#include "backend/plan/partition.h"
#include "backend/plan/training_graph.h"

namespace divisi::plan {

/// Chosen cuts, as ascending indices into graph::CutList::legal.
using CutChoice = std::vector<std::int32_t>;

/// Most stages of one pipeline: a bound on what a hostile task file can make us allocate.
inline constexpr std::int64_t most_stages = 256;

/// Cuts given in a task file: node names, or decimal indices into the legal cuts. Fails as graph::find_cut
/// does, and (invalid_input) for a cut that is listed twice; the order in the file does not matter.
Result<CutChoice> choose_cuts(const graph::Graph& graph, const graph::CutList& cuts,
                              const std::vector<std::string>& names_or_indices);

/// FLOPs of one micro-batch, forward and both gradients, of the nodes of a segment.
double segment_flops(const graph::GraphCost& cost, const std::vector<graph::NodeIndex>& nodes);

/// Names of the nodes after which the chosen cuts lie.
std::vector<std::string> cut_names(const graph::Graph& graph, const graph::CutList& cuts, const CutChoice& choice);

/// Segments of a graph that continues `model` with more nodes (the loss): those join the last segment.
Result<std::vector<Segment>> segments_from_cuts(const graph::Graph& model, const graph::CutList& cuts,
                                                const CutChoice& choice, const graph::Graph& continued);

/// The same of a model with its loss, whose nodes join the segments of their anchors.
Result<std::vector<Segment>> segments_from_cuts(const graph::Graph& model, const graph::CutList& cuts,
                                                const CutChoice& choice, const TrainingGraph& training);

}  // namespace divisi::plan
