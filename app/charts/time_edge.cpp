// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/time_edge.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace divisi::charts {

void TimeEdge::move_to(const ShownMoment& now) {
    now_ = now;
    const bool in_window = edge_s_ - window_s_ <= now.seconds && now.seconds <= edge_s_;
    if (!now.past || !in_window) edge_s_ = now.seconds;
}

std::optional<double> TimeEdge::of(Chart chart, const control::TaskView& task,
                                   const std::vector<LineChart::Line>& lines, double origin) const {
    double edge = edge_s_ - origin, last = -std::numeric_limits<double>::infinity();
    for (const LineChart::Line& line : lines)
        if (const auto end = line.last()) last = std::max(last, end->x());
    if (is_by_step(chart) || std::isinf(last)) return std::nullopt;
    if (!now_.past) edge = std::max(edge, last);
    return task.over() && !is_of_links(chart) && !is_of_nodes(chart) ? std::min(edge, last) : edge;
}

}  // namespace divisi::charts
