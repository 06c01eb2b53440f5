// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/plan/partition.h"
#include "backend/plan/training_graph.h"
#include "backend/price/node_pool.h"
#include "backend/task/task_spec.h"

namespace divisi::task {

/// An operator of the model that must run on a node.
struct PinnedOperator {
    graph::NodeIndex node = graph::no_node;
    std::string place;
    bool by_data = false;  ///< true: the operator reads data that is stored on the node; false: [place.pin] pins it
};
/// Returns operators bound by pins and by the locality of the data, ascending. An operator that is pinned and reads
/// data appears twice. The most specific pattern counts. Constants are omitted: they follow their consumers. Fails
/// (not_found) as plan::find_operators() does.
Result<std::vector<PinnedOperator>> pinned_operators(const TaskSpec& spec, const plan::TrainingGraph& training);

/// Returns the operators that split.sensitive names, ascending. Fails (not_found) as plan::find_operators() does.
Result<std::vector<graph::NodeIndex>> sensitive_operators(const TaskSpec& spec, const plan::TrainingGraph& training);

/// Returns the task's constraints on where its operators and stages run, for the planner and the landscape.
/// place_segments() checks the same constraints. The pool determines which nodes are secure, if its list is complete.
/// Fails as the two functions above do, and with invalid_input for an operator that must run on two nodes.
Result<price::CutConstraints> cut_constraints(const TaskSpec& spec, const plan::TrainingGraph& training,
                                              const price::NodePool& pool);

/// Applies the task's rules for where its segments run. `wanted` is the node of each segment from [place] or
/// [[split.segment]]; "" or a missing entry means any. Returns the list after these rules were applied:
///
/// - [place.pin]: a segment runs where its operators are pinned.
/// - Locality: if the data is on a node (data.path = "node:/..." and place.data), the segments that read
///   the model's inputs run on that node, so that no sample leaves it.
/// - Privacy: a segment with operators of split.sensitive runs on a secure node; the given secure nodes are used one
///   after another. Without `secure_nodes` (a client, an instance), this is not checked.
///
/// Fails with invalid_input in three cases. Messages name both sides:
/// - Two of these rules, or two operators of one segment, require different nodes.
/// - A sensitive operator would run on a node that is not secure, or no node is secure.
/// - Operators that split.together names are in different segments.
///
/// Fails with not_found for names that no operator has.
Result<std::vector<std::string>> place_segments(const TaskSpec& spec, const plan::TrainingGraph& training,
                                                const std::vector<plan::Segment>& segments,
                                                std::vector<std::string> wanted,
                                                const std::optional<std::vector<std::string>>& secure_nodes);

}  // namespace divisi::task
