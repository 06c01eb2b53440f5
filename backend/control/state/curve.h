// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "backend/control/state/limits.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline state {

/// Returns the median; for an even number of values, the larger of the two in the middle; 0 if there are none.
inline double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values.empty() ? 0 : values[values.size() / 2];
}

/// Returns the median time of the `newest` last steps; 0 if there are none.
inline double recent_step_ms(const std::deque<StepRecord>& history, std::size_t newest) {
    std::vector<double> times;
    for (auto step = history.rbegin(); step != history.rend() && times.size() < newest; ++step)
        times.push_back(step->step_ms);
    return median(std::move(times));
}

/// Returns how many points a curve of such records may have. Records that name many heads are larger, so their curve
/// gets fewer points.
template <typename Record>
std::size_t curve_limit(const Record& record) {
    constexpr std::size_t fewest = 2, weightless_name = 16;
    std::size_t weight = 1;
    for (const HeadRecord& head : record.heads) weight += 1 + head.name.size() / weightless_name;
    return std::clamp(curve_weight / weight, fewest, curve_points);
}

/// Appends a record. If the curve exceeds its limit, thins the records before the newest ones. The first record stays.
/// Each other record stays if its step is divisible by the smallest power of two that leaves enough room. The same
/// records in the same order give the same curve on every machine.
template <typename Record>
void add_to_curve(std::deque<Record>& curve, const Record& record) {
    curve.push_back(record);
    const std::size_t limit = curve_limit(record);
    if (curve.size() <= limit) return;
    const std::size_t tail = std::min(curve_tail, limit / 2);
    const std::size_t room = (limit - tail) / 2;
    const auto newest = curve.end() - static_cast<std::ptrdiff_t>(tail);
    std::int64_t stride = 1;
    const auto stays = [&](const Record& one) { return one.step % stride == 0; };
    do {
        stride *= 2;
    } while (static_cast<std::size_t>(std::count_if(curve.begin() + 1, newest, stays)) > room && stride < (1LL << 61));
    curve.erase(std::remove_if(curve.begin() + 1, newest, [&](const Record& one) { return !stays(one); }), newest);
    while (curve.size() > limit) curve.erase(curve.begin() + 1);  // thinning by step numbers did not make enough room
}

}  // namespace divisi::control::inline state
