// SPDX-License-Identifier: Apache-2.0
#include "agents/router/alarms.h"

namespace divisi::router {

bool Alarms::raised_by(const QualityFigures& figures, TimePoint now) {
    if (!last_ || now - *last_ < between_alarms) return false;
    const auto slow = [&](const QualityFigures& one) {
        return one.worst_p99_s >= std::chrono::duration<double>(thresholds_.latency).count();
    };
    return figures.retries - told_.retries >= thresholds_.retries ||
           figures.refusals - told_.refusals >= thresholds_.refusals || (slow(figures) && !slow(told_));
}

void Alarms::reported(const QualityFigures& figures, TimePoint now) {
    told_ = figures;
    last_ = now;
}

}  // namespace divisi::router
