// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backend/task/compile.h"

namespace divisi::task {

/// What an instance takes from others and gives to them (input and output schema of signaling type 1): the values that
/// cross, e.g. "tokens:int64[2,32], hidden:float32[2,32,64]", without gradients.
struct Schema {
    std::string input, output;
};

/// Of the instance that runs `stage` (plan::data_unit: none) and, with `data`, the data unit. A text has `most_bytes`
/// (40 or more) at most; what does not fit is counted at its end.
Schema schema_of(const CompiledPlan& plan, std::int32_t stage, bool data, std::size_t most_bytes);

}  // namespace divisi::task
