// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "app/charts/line_chart.h"
#include "app/charts/telemetry_lines.h"
#include "app/model/tracking/telemetry.h"
#include "backend/control/state/state.h"

namespace divisi::charts {

/// The time that the charts show.
struct ShownMoment {
    double seconds = 0;  ///< time since the epoch in seconds, in the cluster's time
    bool past = false;   ///< whether the time is in the past, so that curves continue after it
};

/// Builds the headings of charts: the figures at the displayed time, with their age if they are old.
class TelemetryHeadings {
public:
    explicit TelemetryHeadings(const model::Telemetry& telemetry) : telemetry_(telemetry) {}

    /// Returns the heading of a chart with these lines, which must not be empty. `origin` is the zero of x in seconds.
    QString text(Chart chart, const control::TaskView& task, const std::vector<LineChart::Line>& lines,
                 const ShownMoment& shown, double origin) const;

private:
    QString by_step(Chart chart, const control::TaskView& task, const LineChart::Line& line,
                    const ShownMoment& shown) const;
    QString figure_at(Chart chart, const control::TaskView& task, const QPointF& last) const;
    QString age_of_step(const control::TaskView& task, double step, double now) const;
    static QString by_time(Chart chart, const control::TaskView& task, const std::vector<LineChart::Line>& lines,
                           const ShownMoment& shown, double origin);

    const model::Telemetry& telemetry_;
};

/// Returns the text shown instead of curves for a task without any steps. It says what the task waits for or why it
/// will not start, and what the user can do.
QString awaited_text(const control::TaskView& task, const control::ClusterState& state);

}  // namespace divisi::charts
