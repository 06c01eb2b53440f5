// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace divisi::search {

/// The result of trying one number of stages.
struct StageCount {
    std::int32_t stages = 0;
    double slowest = 0;  ///< slowest stage or link of the chain, in ms or in the unit of the rule
    double buys = 0;     ///< share by which the last of these stages makes the slowest stage faster, e.g. 0.25
};

}  // namespace divisi::search
