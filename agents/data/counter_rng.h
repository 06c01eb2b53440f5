// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/base/hash.h"

namespace divisi::data {

/// Pseudo-random numbers computed from a key, with integer operations and exact floating-point operations only, so that
/// every machine and library gives the same numbers.
class CounterRng {
public:
    explicit CounterRng(std::uint64_t key) : key_(key) {}

    std::uint64_t bits() { return mix(key_, counter_++); }
    std::int64_t below(std::int64_t bound) {
        return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(bound));
    }
    float uniform() { return static_cast<float>(bits() >> 40) * 0x1p-24f; }
    /// Returns a nearly normal number with mean 0 and standard deviation 1: the sum of twelve uniform 16-bit numbers
    /// minus the mean of the sum (Irwin-Hall distribution).
    float normal() {
        std::uint64_t sum = 0;
        for (int draw = 0; draw < 3; ++draw)
            for (std::uint64_t word = bits(), part = 0; part < 4; ++part) sum += (word >> (16 * part)) & 0xffff;
        return static_cast<float>(sum) * 0x1p-16f - 6.0f;
    }

private:
    std::uint64_t key_;
    std::uint64_t counter_ = 0;
};

}  // namespace divisi::data
