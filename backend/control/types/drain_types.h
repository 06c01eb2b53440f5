// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/base/ids.h"

namespace divisi::control::inline types {

// A node that is drained gets no new instances. Stages of trainings that run there move to other nodes, and what else
// runs there ends in its own time.

// --- messages ----------------------------------------------------------------------------------

/// From operators. Answered by Done, also where it is so already; or by Refused, and then nothing has changed: the node
/// is away, or a training on it could not go on elsewhere.
struct DrainNode {
    NodeId node;
    bool undo = false;  ///< it takes instances again
};

// --- events ------------------------------------------------------------------------------------

struct DrainChanged {
    NodeId node;
    bool drains = true;  ///< false: it takes instances again
    std::string by;      ///< who asked for it
};

}  // namespace divisi::control::inline types
