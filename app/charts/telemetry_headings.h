// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "app/charts/line_chart.h"
#include "app/charts/telemetry_lines.h"
#include "app/model/telemetry.h"
#include "backend/control/state/state.h"

namespace divisi::charts {

/// The moment that charts are of.
struct ShownMoment {
    double seconds = 0;  ///< since the epoch, in the time of events
    bool past = false;   ///< the curves go on behind it
};

/// What the headings of charts say: figures of the moment that is shown, and how old they are where they are old.
class TelemetryHeadings {
public:
    explicit TelemetryHeadings(const model::Telemetry& telemetry) : telemetry_(telemetry) {}

    /// Of a chart with these lines, which are not empty. `origin`: what x counts seconds from.
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

/// What stands in place of the curves of a task that has done no step: what it waits for or why none will come, and
/// what can be done.
QString awaited_text(const control::TaskView& task, const control::ClusterState& state);

}  // namespace divisi::charts
