// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/base/ids.h"

namespace divisi::control::inline types {

// A drained node gets no new instances. Stages of trainings that run there move to other nodes. Everything else there
// runs to its own end.

// --- messages ----------------------------------------------------------------------------------

/// Sent by operators. Answered by Done, also if the node is in that state already. Refused without any change if the
/// node is away, or if a training on it could not continue elsewhere.
struct DrainNode {
    NodeId node;
    bool undo = false;  ///< true: the node takes instances again
};

// --- events ------------------------------------------------------------------------------------

struct DrainChanged {
    NodeId node;
    bool drains = true;  ///< false: the node takes instances again
    std::string by;      ///< the operator who asked for it
};

}  // namespace divisi::control::inline types
