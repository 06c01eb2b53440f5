// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "backend/base/hash.h"

namespace divisi::testing {

/// A seeded random source that returns the same numbers on every machine.
class Draw {
public:
    explicit Draw(std::uint64_t seed) : state_(seed) {}
    /// Returns a number with 0 <= result < below.
    int below(int below) {
        state_ = mix(state_, 1);
        return static_cast<int>(state_ % static_cast<std::uint64_t>(below));
    }
    /// Returns a number between `least` and `most`, uniform in logarithm.
    double between(double least, double most) { return least * std::pow(most / least, below(1'000'001) / 1e6); }
    bool chance(int percent) { return below(100) < percent; }

private:
    std::uint64_t state_;
};

}  // namespace divisi::testing
