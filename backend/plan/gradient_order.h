// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/base/result.h"
#include "backend/plan/partition.h"
#include "backend/plan/training_graph.h"

namespace divisi::plan {

/// Scope of the nodes that keep_gradient_order() adds.
inline constexpr const char* relay_scope = "/relay/";

/// Keeps the order in which gradients of a value are added: last use first (design, section 5). Relaying a value along
/// its consumer segments in ascending order keeps this order if later segments hold later uses, as in every layer plan.
/// In a block plan, two uses in one segment may lie before and after a use in another segment. Such a value is sent
/// once for each use instead. An Identity node in the producer's segment, placed at the use in canonical order,
/// represents the sent value. Its gradient thus returns as a separate term and is added at its position in the order.
/// If the last uses are already in ascending segments, they share one Identity node, and the value is relayed. `apart`
/// concerns values that no segment uses twice. If `apart` is set and relaying such a value would make one of two
/// parallel segments wait for the other, the value is sent to each segment separately. The number of sent tensors is
/// the same in both cases. `segments` cover `training.graph` and are acyclic in ascending order. If nodes are added,
/// all nodes are renumbered, and existing nodes keep their order. Returns the number of added nodes.
Result<std::int32_t> keep_gradient_order(TrainingGraph& training, std::vector<Segment>& segments, bool apart = false);

}  // namespace divisi::plan
