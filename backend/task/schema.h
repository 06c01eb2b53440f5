// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backend/task/compile.h"

namespace divisi::task {

/// The values that an instance receives and sends (input and output schema of signaling type 1), without gradients,
/// e.g. "tokens:int64[2,32], hidden:float32[2,32,64]".
struct Schema {
    std::string input, output;
};

/// Returns the schema of an instance that runs `stage` (plan::data_unit: no stage) and, if `data` is set, the data
/// unit. Each text has at most `most_bytes` bytes (40 or more); omitted values are counted at its end.
Schema schema_of(const CompiledPlan& plan, std::int32_t stage, bool data, std::size_t most_bytes);

}  // namespace divisi::task
