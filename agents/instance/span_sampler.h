// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "backend/control/types/span_types.h"
#include "backend/plan/interpreter.h"

namespace divisi::instance {

/// Which steps an instance reports operation by operation, and their operations. Knows no clock: times are those of the
/// operations. Of one thread.
class SpanSampler {
public:
    /// Somebody watches until `until`: steps that are multiples of `every` are collected. Said again as often as one
    /// likes.
    void watch(std::int64_t every, TimePoint until);
    /// An operation of a step has ended; evaluations after it are no part of it.
    void add(std::int32_t unit, const plan::Ended& ended);
    /// The instance has finished a step: its report, whose task, instance and generation somebody else fills in. None
    /// where it is not to be reported, where watching began in the midst of it, or where the last one that was reported
    /// is not least_span_interval ago.
    std::optional<control::InstanceSpans> passed(std::int64_t step);

private:
    struct Open {
        std::vector<control::OperationSpan> spans;  ///< begin: since the epoch
        std::optional<TimePoint> stage_begin, data_begin;
        TimePoint end{};
        std::uint32_t left_out = 0;
    };
    bool collects(std::int64_t step, TimePoint at) const;

    std::int64_t every_ = 0;
    TimePoint until_{};
    std::int64_t newest_ = 0;  ///< step of which an operation has ended
    TimePoint newest_end_{};   ///< of any operation
    std::int64_t from_ = 0;    ///< no operation of this step or a later one had ended when watching began
    std::map<std::int64_t, Open> open_;
    std::optional<TimePoint> reported_;  ///< end of the last step that was
};

}  // namespace divisi::instance
