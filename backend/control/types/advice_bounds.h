// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/clock.h"

namespace divisi::control::inline types {

// Bounds that a functional module's advice must meet to be considered.

/// Minimum confidence of advice. Below this value, the module itself considers its advice more likely wrong than right.
inline constexpr double least_confidence = 0.5;
/// Bounds for the validity of advice. Advice is temporary, since it is based on predictions. Only operators make
/// permanent settings.
inline constexpr Duration least_validity = std::chrono::seconds(1), most_validity = std::chrono::minutes(10);

}  // namespace divisi::control::inline types
