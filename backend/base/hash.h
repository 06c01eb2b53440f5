// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace divisi {

/// FNV-1a, 64 bit: a stable key for random numbers and tables; it is not a checksum that protects against attackers.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t state = 0xcbf29ce484222325ULL) {
    for (const char c : text) {
        state ^= static_cast<unsigned char>(c);
        state *= 0x100000001b3ULL;
    }
    return state;
}

/// Mixes one more integer into a key (the finalizer of SplitMix64).
constexpr std::uint64_t mix(std::uint64_t key, std::uint64_t value) {
    std::uint64_t z = key + 0x9e3779b97f4a7c15ULL + value;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

}  // namespace divisi
