// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "backend/control/types/span_types.h"
#include "backend/plan/interpreter.h"

namespace divisi::instance {

/// Collects the operations of sampled steps for reports. Uses no clock: all times come from the operations. Not
/// thread-safe.
class SpanSampler {
public:
    /// Collects steps that are multiples of `every`, until `until`. May be called repeatedly to extend the time.
    void watch(std::int64_t every, TimePoint until);
    /// Records that an operation of a step has ended. The evaluation after a step does not belong to the step.
    void add(std::int32_t unit, const plan::Ended& ended);
    /// Ends a step; returns its report. The caller fills in task, instance and generation. Returns none if the step is
    /// not sampled, if watching began within the step, or if the last report is less than least_span_interval ago.
    std::optional<control::InstanceSpans> passed(std::int64_t step);

private:
    struct Open {
        std::vector<control::OperationSpan> spans;  ///< spans so far; their `begin` is a time since the epoch, which
                                                    ///< passed() makes relative
        std::optional<TimePoint> stage_begin, data_begin;
        TimePoint end{};
        std::uint32_t left_out = 0;
    };
    bool collects(std::int64_t step, TimePoint at) const;

    std::int64_t every_ = 0;
    TimePoint until_{};
    std::int64_t newest_ = 0;  ///< highest number of a step of which an operation has ended
    TimePoint newest_end_{};   ///< time at which the last operation ended
    std::int64_t from_ = 0;    ///< first step that can be sampled: none of its operations had ended when watching began
    std::map<std::int64_t, Open> open_;
    std::optional<TimePoint> reported_;  ///< end of the last reported step
};

}  // namespace divisi::instance
