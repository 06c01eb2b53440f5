// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backend/base/units.h"

namespace divisi::task {

/// When the orchestrator raises an alert: [alerts] of a cluster file. A threshold of 0 switches its rule off.
struct AlertRules {
    double slow = 3;              ///< a step takes longer than so many times the median of those before
    double slow_for_s = 30;       ///< and has for so long
    double silent_s = 10;         ///< a node is not heard for so long
    std::int64_t queue = 20;      ///< more tasks wait in the queue
    Bytes disk = Bytes{1} << 30;  ///< less is free where a node, or the orchestrator, keeps its files
    bool loss = true;             ///< a loss is nan or infinite
    bool operator==(const AlertRules&) const = default;
};

}  // namespace divisi::task
