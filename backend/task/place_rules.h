// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/plan/partition.h"
#include "backend/plan/training_graph.h"
#include "backend/price/constraints.h"
#include "backend/price/node_pool.h"
#include "backend/task/task_spec.h"

namespace divisi::task {

/// An operator of the model that must run on a node.
struct PinnedOperator {
    graph::NodeIndex node = graph::no_node;
    std::string place;
    bool by_data = false;  ///< since it reads the data that lie there; else by [place.pin]
};
/// Pins and locality of the data, ascending by operator; one that is pinned and reads data comes twice. The most exact
/// pattern counts. Constants are left out: they follow their consumers. Fails (not_found) as plan::find_operators().
Result<std::vector<PinnedOperator>> pinned_operators(const TaskSpec& spec, const plan::TrainingGraph& training);

/// Operators that split.sensitive names, ascending. Fails (not_found) as plan::find_operators().
Result<std::vector<graph::NodeIndex>> sensitive_operators(const TaskSpec& spec, const plan::TrainingGraph& training);

/// What the task asks of where its operators and stages run, for the planner and the landscape: the same that
/// place_segments() holds against segments. The pool says which nodes are secure, if it is complete. Fails as these do,
/// and (invalid_input) for an operator that must run on two nodes.
Result<price::CutConstraints> cut_constraints(const TaskSpec& spec, const plan::TrainingGraph& training,
                                              const price::NodePool& pool);

/// What a task says about where its segments run, held against the segments. `wanted` is the node of each
/// segment as [place] or [[split.segment]] has it, "" or no entry where they are silent. Returns it completed:
///
/// - by [place.pin]: a segment runs where its operators are pinned;
/// - by locality: where the data lie on a node (data.path = "node:/..." and place.data), the segments that read
///   the model's inputs run on that node, so that no sample leaves it;
/// - by privacy: a segment with operators of split.sensitive runs on a secure node, in turn on those given;
///   without `secure_nodes` (a client, an instance) nothing is said about them.
///
/// Fails (invalid_input) when two of these, or two operators of one segment, want different nodes, when a
/// sensitive operator would run on a node that is not secure, and when operators that split.together names
/// lie in different segments; (not_found) for names that no operator has. Messages name both sides.
Result<std::vector<std::string>> place_segments(const TaskSpec& spec, const plan::TrainingGraph& training,
                                                const std::vector<plan::Segment>& segments,
                                                std::vector<std::string> wanted,
                                                const std::optional<std::vector<std::string>>& secure_nodes);

}  // namespace divisi::task
