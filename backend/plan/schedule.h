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

/// What each stage does within one step, in this order. Under every schedule the backward passes of a stage
/// come in ascending micro-batches, so that gradients accumulate in the same order as without a split.
using PassOrder = std::vector<std::vector<Pass>>;

/// All forward passes, then all backward passes: Huang et al., GPipe, arXiv 1811.06965.
PassOrder gpipe(std::int32_t stages, std::int32_t microbatches);

/// One forward, one backward: a stage runs as many forward passes ahead as there are stages on the longest way
/// behind it, then alternates, and so holds at most one micro-batch more than that: Narayanan et al.,
/// PipeDream-Flush, arXiv 2006.09503, for any acyclic graph of stages. `depths` as depths(Partition) gives them.
PassOrder one_f_one_b(const std::vector<std::int32_t>& depths, std::int32_t microbatches);
/// The same for a chain: stage i runs stages - 1 - i forward passes ahead.
PassOrder one_f_one_b(std::int32_t stages, std::int32_t microbatches);

/// "gpipe" or "1f1b"; fails (invalid_input) with the known names. With a number of stages: of a chain.
Result<PassOrder> make_pass_order(const std::string& schedule, const std::vector<std::int32_t>& depths,
                                  std::int32_t microbatches);
Result<PassOrder> make_pass_order(const std::string& schedule, std::int32_t stages, std::int32_t microbatches);

/// Names that make_pass_order() knows, for messages and forms.
const std::vector<std::string>& schedule_names();

/// Most micro-batches whose activations a stage holds at once in this order.
std::int32_t most_in_flight(const std::vector<Pass>& passes);

}  // namespace divisi::plan
