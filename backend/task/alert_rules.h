// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backend/base/units.h"

namespace divisi::task {

/// Rules for the orchestrator's alerts: [alerts] of a cluster file. A threshold of 0 switches its rule off.
struct AlertRules {
    double slow = 3;              ///< a step takes longer than the median of earlier steps by this factor
    double slow_for_s = 30;       ///< and has been slow for this time
    double silent_s = 10;         ///< no message from a node for this time
    std::int64_t queue = 20;      ///< more tasks than this wait in the queue
    Bytes disk = Bytes{1} << 30;  ///< a node or the orchestrator has less free space for its files
    bool loss = true;             ///< a loss is NaN or infinite
    bool operator==(const AlertRules&) const = default;
};

}  // namespace divisi::task
