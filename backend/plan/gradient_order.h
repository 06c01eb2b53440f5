// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/base/result.h"
#include "backend/plan/partition.h"
#include "backend/plan/training_graph.h"

namespace divisi::plan {

/// Scope of the nodes that keep_gradient_order() adds.
inline constexpr const char* relay_scope = "/relay/";

/// Gradients of a value are added last use first (design, section 5). Relayed along its consumer segments in
/// ascending order they still are, as long as later segments hold later uses: always so in a layer plan. In
/// a block plan it need not be: two uses of one segment may lie around one of another. Such a value is sent
/// once for each use instead: an Identity node beside its producer, at the place of the use in canonical
/// order, stands for what leaves, so that its gradient comes back as a term of its own and is added in its
/// turn. Where the last uses already lie in ascending segments, they share one such node and are relayed.
///
/// With `apart`, a value also leaves for each segment by itself where relaying would make one of two parallel
/// segments wait for the other and no segment uses it twice: as many tensors travel either way.
///
/// `segments` cover `training.graph` and are acyclic in ascending order. Nodes and segments are renumbered
/// where nodes were added; the order of the others stays. Returns how many were added.
Result<std::int32_t> keep_gradient_order(TrainingGraph& training, std::vector<Segment>& segments, bool apart = false);

}  // namespace divisi::plan
