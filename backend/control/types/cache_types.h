// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace divisi::control::inline types {

/// The results that a router keeps for tasks that would compute the same again, counted since it began.
struct CacheReport {
    std::uint64_t limit_bytes = 0, held_bytes = 0;  ///< 0: it keeps none
    std::uint64_t results = 0;
    std::uint64_t hits = 0, misses = 0;
    std::uint64_t corrupt = 0, evicted = 0;
    std::uint64_t saved_bytes = 0;  ///< of tensors that it sent in their producers' place
};

}  // namespace divisi::control::inline types
