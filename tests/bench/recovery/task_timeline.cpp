// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/recovery/task_timeline.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/bench/prediction/agreement.h"

namespace divisi::bench {

void TaskTimeline::take(const QJsonObject& line, double now_ms) {
    // An instance's name is its role, "#" and its incarnation.
    if (line["event"].toString() == "recovery") ++recoveries_[line["instance"].toString().section('#', 0, 0)];
    if (line["event"].toString() != "step") return;
    if (now_ms - heard_ms_ > silence_ms_) {
        silence_ms_ = now_ms - heard_ms_;
        outage_.until_step_ms = now_ms - disturbed_ms_;
    }
    heard_ms_ = now_ms;
    const int step = line["step"].toInt();
    const QString now = line["loss_bits"].toString(), before = bits_.value(step, now);
    if (bits_.contains(step)) ++outage_.again;
    if (unlike_.isEmpty() && now != before)
        unlike_ = QString("step %1 was done again with the loss bits %2, not %3").arg(step).arg(now, before);
    bits_[step] = before;
    furthest_ = std::max(furthest_, step);
}

void TaskTimeline::disturb(double now_ms) {
    disturbed_ms_ = heard_ms_ = now_ms;
    silence_ms_ = 0;
    outage_ = {};
}

int TaskTimeline::most_recoveries() const {
    int most = 0;
    for (const int count : recoveries_) most = std::max(most, count);
    return most;
}

QString TaskTimeline::difference(const QStringList& reference) const {
    if (!unlike_.isEmpty()) return unlike_;
    for (int step = 1; step <= furthest_; ++step) {
        const QString now = bits_.value(step, "none"), wanted = reference.value(step - 1, "none");
        if (now == "none" || now != wanted)
            return QString("step %1 has the loss bits %2, the reference %3").arg(step).arg(now, wanted);
    }
    return {};
}

Spread spread(std::vector<double> values) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    if (values.empty()) return {none, none, none, none};
    std::sort(values.begin(), values.end());
    const auto rank = static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(values.size())));
    return {values.front(), median(values), values[rank - 1], values.back()};
}

}  // namespace divisi::bench
