// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/clock.h"

namespace divisi::control::inline types {

// What an advice of a functional module must be to be looked at.

/// What is less sure than a coin is no reason to change anything.
inline constexpr double least_confidence = 0.5;
/// Advice is for what is seen coming, not for good: what is to stay is an operator's to set.
inline constexpr Duration least_validity = std::chrono::seconds(1), most_validity = std::chrono::minutes(10);

}  // namespace divisi::control::inline types
