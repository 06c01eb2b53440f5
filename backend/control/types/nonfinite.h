// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/base/result.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline types {

// Returns the error for a loss that is nan or infinite: the step, the loss or heads, and a remedy. Returns none if all
// losses are finite.
std::optional<Error> nonfinite_loss(const StepRecord& record);
std::optional<Error> nonfinite_loss(const EvalRecord& record);

/// Returns the error for a non-finite weight after the last step, whose losses were still finite.
Error nonfinite_weight(const std::string& weight, std::int64_t step);

}  // namespace divisi::control::inline types
