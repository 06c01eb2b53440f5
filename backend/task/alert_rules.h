// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backend/base/units.h"

namespace divisi::task {

/// Rules for the orchestrator's alerts: [alerts] of a cluster file. A threshold of 0 switches its rule off.
struct AlertRules {
    double slow = 3;              ///< minimum ratio of a step's time to the median of earlier steps
    double slow_for_s = 30;       ///< minimum time for which steps must have been this slow
    double silent_s = 10;         ///< minimum time without a message from a node
    std::int64_t queue = 20;      ///< number of waiting tasks that must be exceeded
    Bytes disk = Bytes{1} << 30;  ///< limit below which a node's or the orchestrator's free space for files must fall
    bool loss = true;             ///< whether a loss that is NaN or infinite raises an alert
    bool operator==(const AlertRules&) const = default;
};

}  // namespace divisi::task
