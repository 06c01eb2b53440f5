// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/base/result.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline types {

// What is wrong where a loss is nan or infinite: the step, which loss or heads, and what helps. Nothing where all
// losses are numbers.
std::optional<Error> nonfinite_loss(const StepRecord& record);
std::optional<Error> nonfinite_loss(const EvalRecord& record);

/// The same of a weight after the last step: its losses were still numbers.
Error nonfinite_weight(const std::string& weight, std::int64_t step);

}  // namespace divisi::control::inline types
