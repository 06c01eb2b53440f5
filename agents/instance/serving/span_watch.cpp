// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/serving/span_watch.h"

namespace divisi::instance {

void SpanWatch::watch(std::int64_t every, TimePoint until) {
    every_ = every;
    until_ns_ = until.time_since_epoch().count();
}

void SpanWatch::operation_ended(const OperationTimes& times, std::int32_t microbatches) {
    if (every_ > 0) sampler_.watch(every_, TimePoint(Duration(until_ns_)));
    if (times.ended.operation.microbatch < microbatches) sampler_.add(times.unit, times.ended);
}

}  // namespace divisi::instance
