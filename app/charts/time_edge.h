// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "app/charts/line_chart.h"
#include "app/charts/telemetry_headings.h"
#include "app/charts/telemetry_lines.h"
#include "backend/control/state/state.h"

namespace divisi::charts {

/// Computes the right edge of the charts by time. The edge follows the displayed time while the views show the present.
/// A past time moves the edge only if it lies outside the shown window, so that no curve moves away under the pointer.
class TimeEdge {
public:
    /// Sets the width in seconds of the window that ends at the edge.
    explicit TimeEdge(double window_s) : window_s_(window_s) {}

    /// Sets the displayed time.
    void move_to(const ShownMoment& now);
    /// Returns the displayed time.
    const ShownMoment& now() const { return now_; }
    /// Returns the edge of a chart with these lines, in seconds after `origin`; nothing for a chart by step, or without
    /// points. Charts of the instances of a task that has ended end with their curves.
    std::optional<double> of(Chart chart, const control::TaskView& task, const std::vector<LineChart::Line>& lines,
                             double origin) const;

private:
    double window_s_;
    ShownMoment now_;
    double edge_s_ = 0;  ///< position of the edge in seconds since the epoch
};

}  // namespace divisi::charts
