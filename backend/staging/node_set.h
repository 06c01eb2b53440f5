// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace divisi::staging {

/// A set of nodes as bits: word i / word_bits of the set contains the bit of node i.
using Word = std::uint64_t;
inline constexpr std::size_t word_bits = 64;

inline bool has(const Word* set, std::int32_t node) { return set[node / word_bits] >> (node % word_bits) & 1; }
inline void insert(Word* set, std::int32_t node) { set[node / word_bits] |= Word{1} << (node % word_bits); }
inline void erase(Word* set, std::int32_t node) { set[node / word_bits] &= ~(Word{1} << (node % word_bits)); }

}  // namespace divisi::staging
