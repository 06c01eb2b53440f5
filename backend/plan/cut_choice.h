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

/// Maximum number of stages in a pipeline. Bounds the memory that is allocated for a hostile task file.
inline constexpr std::int64_t most_stages = 256;

/// Returns the cuts that a task file lists as node names or decimal indices into the legal cuts, in any order. Fails as
/// graph::find_cut() does. Also fails (invalid_input) for a cut that is listed twice, and for most_stages cuts or more.
Result<CutChoice> choose_cuts(const graph::Graph& graph, const graph::CutList& cuts,
                              const std::vector<std::string>& names_or_indices);

/// Returns the FLOPs of a segment's nodes for one micro-batch: forward and both gradients.
double segment_flops(const graph::GraphCost& cost, const std::vector<graph::NodeIndex>& nodes);

/// Returns, for each chosen cut, the name of the node before the cut.
std::vector<std::string> cut_names(const graph::Graph& graph, const graph::CutList& cuts, const CutChoice& choice);

/// Returns the segments of a graph that appends nodes (the loss) to `model`. The appended nodes join the last segment.
Result<std::vector<Segment>> segments_from_cuts(const graph::Graph& model, const graph::CutList& cuts,
                                                const CutChoice& choice, const graph::Graph& continued);

/// Returns the segments of a model with its loss; the nodes of the loss join the segments of their anchors.
Result<std::vector<Segment>> segments_from_cuts(const graph::Graph& model, const graph::CutList& cuts,
                                                const CutChoice& choice, const TrainingGraph& training);

}  // namespace divisi::plan
