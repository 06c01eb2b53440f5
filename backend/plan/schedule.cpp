// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/schedule.h"

#include <algorithm>

#include "backend/plan/error_texts.h"

namespace divisi::plan {

namespace {

void add_forward(std::vector<Pass>& passes, std::int32_t microbatch) { passes.push_back({false, microbatch}); }
void add_backward(std::vector<Pass>& passes, std::int32_t microbatch) { passes.push_back({true, microbatch}); }

std::vector<std::int32_t> chain_depths(std::int32_t stages) {
    std::vector<std::int32_t> depths;
    for (std::int32_t stage = 0; stage < stages; ++stage) depths.push_back(stages - 1 - stage);
    return depths;
}

}  // namespace

PassOrder gpipe(std::int32_t stages, std::int32_t microbatches) {
    std::vector<Pass> passes;
    for (std::int32_t m = 0; m < microbatches; ++m) add_forward(passes, m);
    for (std::int32_t m = 0; m < microbatches; ++m) add_backward(passes, m);
    return PassOrder(static_cast<std::size_t>(stages), passes);
}

PassOrder one_f_one_b(const std::vector<std::int32_t>& depths, std::int32_t microbatches) {
    PassOrder order(depths.size());
    for (std::size_t stage = 0; stage < depths.size(); ++stage) {
        std::vector<Pass>& passes = order[stage];
        const std::int32_t ahead = std::min(depths[stage], microbatches);
        for (std::int32_t m = 0; m < ahead; ++m) add_forward(passes, m);
        for (std::int32_t m = ahead; m < microbatches; ++m) {
            add_forward(passes, m);
            add_backward(passes, m - ahead);
        }
        for (std::int32_t m = microbatches - ahead; m < microbatches; ++m) add_backward(passes, m);
    }
    return order;
}

PassOrder one_f_one_b(std::int32_t stages, std::int32_t microbatches) {
    return one_f_one_b(chain_depths(stages), microbatches);
}

Result<PassOrder> make_pass_order(const std::string& schedule, const std::vector<std::int32_t>& depths,
                                  std::int32_t microbatches) {
    if (schedule == "gpipe") return gpipe(static_cast<std::int32_t>(depths.size()), microbatches);
    if (schedule == "1f1b") return one_f_one_b(depths, microbatches);
    return make_error(error_text("no-schedule-of-name"), "split.schedule", {schedule});
}

Result<PassOrder> make_pass_order(const std::string& schedule, std::int32_t stages, std::int32_t microbatches) {
    return make_pass_order(schedule, chain_depths(stages), microbatches);
}

const std::vector<std::string>& schedule_names() {
    static const std::vector<std::string> names = {"gpipe", "1f1b"};
    return names;
}

std::int32_t most_in_flight(const std::vector<Pass>& passes) {
    std::int32_t held = 0, most = 0;
    for (const Pass& pass : passes) most = std::max(most, held += pass.backward ? -1 : 1);
    return most;
}

}  // namespace divisi::plan
