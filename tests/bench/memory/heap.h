// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace divisi::bench {

enum class Way { aligned_alloc, allocate_tensor };

struct HeapFigures {
    double settled_bytes = 0, last_bytes = 0;  ///< heap bytes after 200 rounds and at the end
    double ns_each = 0;                        ///< nanoseconds to allocate and free one tensor
};

/// Simulates the allocations of 20,000 micro-batches of a stage on a fresh heap. Returns nothing if the process could
/// not be created.
std::optional<HeapFigures> in_a_process(Way way);

}  // namespace divisi::bench
