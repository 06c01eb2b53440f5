// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/reuse.h"

#include "agents/instance/engine/stage_setup.h"

namespace divisi::instance {

Result<std::optional<ResultKeys>> find_result_keys(const task::CompiledPlan& plan, std::int32_t stage,
                                                   const std::set<std::int32_t>& far_channels,
                                                   const segment::Executor& executor, const std::string& fingerprint) {
    const auto none = std::optional<ResultKeys>();
    if (!plan.programs->length.over_data() || far_channels.empty()) return none;
    const auto& channels = plan.programs->channels;
    for (std::size_t number = 0; number < channels.size(); ++number)
        if (channels[number].from == stage && !far_channels.contains(static_cast<std::int32_t>(number))) return none;
    return ResultKeys::of(segment_config(plan, stage), executor, fingerprint);
}

}  // namespace divisi::instance
