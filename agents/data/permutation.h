// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/base/hash.h"

namespace divisi::data {

/// A keyed permutation of [0, size) that needs no memory: a Feistel network over the next power of four. The network is
/// applied again until the value is below `size` (cycle walking; Black and Rogaway, "Ciphers with Arbitrary Finite
/// Domains", 2002). The network's domain is at most four times as large, so at most four applications are needed on
/// average.
class Permutation {
public:
    Permutation(std::int64_t size, std::uint64_t key) : size_(static_cast<std::uint64_t>(size)), key_(key) {
        while ((1ULL << (2 * half_bits_)) < size_) ++half_bits_;
    }

    /// Returns the image of `position`, which must be in [0, size).
    std::int64_t operator()(std::int64_t position) const {
        auto value = static_cast<std::uint64_t>(position);
        do {
            value = encrypt(value);
        } while (value >= size_);
        return static_cast<std::int64_t>(value);
    }

private:
    static constexpr int rounds = 4;  // Luby and Rackoff: four rounds suffice for a pseudo-random permutation

    std::uint64_t encrypt(std::uint64_t value) const {
        const std::uint64_t mask = (1ULL << half_bits_) - 1;
        std::uint64_t left = value >> half_bits_, right = value & mask;
        for (int round = 0; round < rounds; ++round) {
            const std::uint64_t mixed = mix(mix(key_, static_cast<std::uint64_t>(round)), right) & mask;
            const std::uint64_t next = left ^ mixed;
            left = right;
            right = next;
        }
        return (left << half_bits_) | right;
    }

    std::uint64_t size_;
    std::uint64_t key_;
    int half_bits_ = 1;
};

}  // namespace divisi::data
