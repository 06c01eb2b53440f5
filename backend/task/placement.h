// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/plan/partition.h"
#include "backend/plan/training_graph.h"
#include "backend/task/task_spec.h"

namespace divisi::task {

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
