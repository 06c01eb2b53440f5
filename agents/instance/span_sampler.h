// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "backend/control/types/span_types.h"
#include "backend/plan/interpreter.h"

namespace divisi::instance {

/// Collects the operations of sampled steps for reports. Uses no clock: times are those of the operations. Not
/// thread-safe.
class SpanSampler {
public:
    /// Collects steps that are multiples of `every`, until `until`. May be called repeatedly to extend the time.
    void watch(std::int64_t every, TimePoint until);
    /// Records that an operation of a step has ended. Evaluations after the step are not part of it.
    void add(std::int32_t unit, const plan::Ended& ended);
    /// Ends a step; returns its report. The caller fills in task, instance and generation. Returns none if the step is
    /// not sampled, if watching began within the step, or if the last report is less than least_span_interval ago.
    std::optional<control::InstanceSpans> passed(std::int64_t step);

private:
    struct Open {
        std::vector<control::OperationSpan> spans;  ///< begin: time since the epoch, made relative by passed()
        std::optional<TimePoint> stage_begin, data_begin;
        TimePoint end{};
        std::uint32_t left_out = 0;
    };
    bool collects(std::int64_t step, TimePoint at) const;

    std::int64_t every_ = 0;
    TimePoint until_{};
    std::int64_t newest_ = 0;  ///< the newest step with an ended operation
    TimePoint newest_end_{};   ///< end of the newest operation
    std::int64_t from_ = 0;    ///< no operation of this or a later step had ended when watching began
    std::map<std::int64_t, Open> open_;
    std::optional<TimePoint> reported_;  ///< end of the last reported step
};

}  // namespace divisi::instance
