// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "agents/instance/engine/listener.h"
#include "agents/instance/serving/span_sampler.h"

namespace divisi::instance {

/// Samples the spans of some steps while a client watches. watch() is thread-safe; only the engine's thread calls the
/// other functions.
class SpanWatch {
public:
    /// Samples steps that are multiples of `every`, until `until`.
    void watch(std::int64_t every, TimePoint until);
    /// Records an operation. `microbatches`: number of micro-batches of a step. Higher micro-batch numbers belong to
    /// evaluations, which are not sampled.
    void operation_ended(const OperationTimes& times, std::int32_t microbatches);
    /// Ends a step; returns its report, if it was sampled.
    std::optional<control::InstanceSpans> passed(std::int64_t step) { return sampler_.passed(step); }

private:
    /// sampling interval in steps, and the time at which sampling ends; 0: no client has watched yet
    std::atomic<std::int64_t> every_ = 0, until_ns_ = 0;
    SpanSampler sampler_;
};

}  // namespace divisi::instance
