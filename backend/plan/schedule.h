// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/result.h"

namespace divisi::plan {

/// One pass of one micro-batch through one stage.
struct Pass {
    bool backward = false;
    std::int32_t microbatch = 0;
    bool operator==(const Pass&) const = default;
};

/// The passes of each stage within one step, in order. Under every schedule, the backward passes of a stage process
/// micro-batches in ascending order, so that gradients accumulate in the same order as without a split.
using PassOrder = std::vector<std::vector<Pass>>;

/// Returns all forward passes, then all backward passes: Huang et al., GPipe, arXiv 1811.06965.
PassOrder gpipe(std::int32_t stages, std::int32_t microbatches);

/// Returns the order "one forward, one backward": Narayanan et al., PipeDream-Flush, arXiv 2006.09503, extended to any
/// acyclic graph of stages. A stage first runs as many forward passes as there are stages on the longest path after it,
/// then alternates. A stage thus holds at most one micro-batch more than this number of stages. `depths` comes from
/// depths(Partition).
PassOrder one_f_one_b(const std::vector<std::int32_t>& depths, std::int32_t microbatches);
/// Returns the same order for a chain: stage i begins with stages - 1 - i forward passes, then alternates.
PassOrder one_f_one_b(std::int32_t stages, std::int32_t microbatches);

/// Returns the order for "gpipe" or "1f1b". Fails (invalid_input) for an unknown name and lists the known names. The
/// overload with a number of stages is for a chain.
Result<PassOrder> make_pass_order(const std::string& schedule, const std::vector<std::int32_t>& depths,
                                  std::int32_t microbatches);
Result<PassOrder> make_pass_order(const std::string& schedule, std::int32_t stages, std::int32_t microbatches);

/// Returns the names that make_pass_order() accepts, for messages and forms.
const std::vector<std::string>& schedule_names();

/// Returns the largest number of micro-batches whose activations a stage holds at once in this order.
std::int32_t most_in_flight(const std::vector<Pass>& passes);

}  // namespace divisi::plan
