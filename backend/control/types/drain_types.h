// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/base/ids.h"

namespace divisi::control::inline types {

// A drained node gets no new instances. Stages of training tasks on the node move to other nodes. All other tasks on
// the node run to their end.

// --- messages ----------------------------------------------------------------------------------

/// Sent by operators. Answered by Done, even if the node is already drained. Refused if no other node is ready, if a
/// training task needs this node, or if this node is away. With `undo`, refused if this node is not drained.
struct DrainNode {
    NodeId node;
    bool undo = false;  ///< true: the node takes instances again
};

// --- events ------------------------------------------------------------------------------------

struct DrainChanged {
    NodeId node;
    bool drains = true;  ///< false: the node takes instances again
    std::string by;      ///< the operator who ordered the drain
};

}  // namespace divisi::control::inline types
