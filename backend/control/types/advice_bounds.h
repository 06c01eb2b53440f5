// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/clock.h"

namespace divisi::control::inline types {

// Bounds that a functional module's advice must meet to be considered.

/// Advice with less confidence than a coin toss is no reason to change anything.
inline constexpr double least_confidence = 0.5;
/// Advice is temporary: it concerns what a module sees coming. Permanent settings are made by operators.
inline constexpr Duration least_validity = std::chrono::seconds(1), most_validity = std::chrono::minutes(10);

}  // namespace divisi::control::inline types
