// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline protocol {

// Messages that measure links between nodes.

/// Sent by operators: the links are measured again as soon as no task runs. Answered by Done.
struct MeasureLinks {};
/// Sent to a node: until EndProbe, the node receives data plane tensors from the other node and frees their slots at
/// once. Not answered; ProbeServed follows.
struct ServeProbe {
    std::uint64_t probe = 0;  ///< unique number, which is also the flow of the probe's tensors
    NodeId from;
    std::string from_key;  ///< CURVE public key of the sender, Z85; empty on ipc
};
struct ProbeServed {
    std::uint64_t probe = 0;
    std::string endpoint;
    std::optional<Error> error;
};
/// Sent to a node: the node sends the probe's tensors to the other node. Not answered; ProbeEnded follows.
struct RunProbe {
    std::uint64_t probe = 0;
    std::string endpoint;
    std::string key;  ///< key of the serving node; empty on ipc
};
struct ProbeEnded {
    std::uint64_t probe = 0;
    LinkFigures figures;
    std::optional<Error> error;
};
/// Sent to both nodes: the probe ends, because it is complete or because a task needs the nodes.
struct EndProbe {
    std::uint64_t probe = 0;
};

}  // namespace divisi::control::inline protocol
