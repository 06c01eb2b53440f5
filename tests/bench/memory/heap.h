// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace divisi::bench {

enum class Way { aligned_alloc, allocate_tensor };

struct HeapFigures {
    double settled_bytes = 0, last_bytes = 0;  ///< of the heap, after 200 rounds and at the end
    double ns_each = 0;                        ///< to take and give back one tensor
};

/// Plays 20,000 micro-batches of a stage on a fresh heap; nothing where the process could not be made.
std::optional<HeapFigures> in_a_process(Way way);

}  // namespace divisi::bench
