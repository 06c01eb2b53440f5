// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace divisi::search {

/// How the number of stages was found.
struct StageCount {
    std::int32_t stages = 0;
    double slowest = 0;  ///< of the chain: ms, or what the rule counts
    double buys = 0;     ///< share by which the last of these stages makes the slowest faster: 0.25
};

}  // namespace divisi::search
