// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace divisi::control::inline types {

/// Figures of the result cache of a router, counted since the router's start. The cache holds tensors that tasks would
/// otherwise compute again.
struct CacheReport {
    /// limit and current size in bytes; limit 0: the router caches nothing
    std::uint64_t limit_bytes = 0, held_bytes = 0;
    std::uint64_t results = 0;
    std::uint64_t hits = 0, misses = 0;
    std::uint64_t corrupt = 0, evicted = 0;
    std::uint64_t saved_bytes = 0;  ///< bytes of tensors sent from the cache instead of by their producers
};

}  // namespace divisi::control::inline types
