// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>
#include <optional>

#include "app/charts/chart_grid.h"
#include "app/charts/telemetry_headings.h"
#include "app/charts/telemetry_lines.h"
#include "app/model/tracking/time_cursor.h"

namespace divisi::charts {

/// Shows the same cursor in all charts. The cursor is at the pointer or, if the views show a past time, at that time. A
/// click sets the time that all views show.
class ChartCursor : public QObject {
    Q_OBJECT
public:
    /// `grid` and `axes` must outlive the cursor.
    ChartCursor(ChartGrid& grid, const TaskAxes& axes);

    /// Connects the charts with the time cursor of all views. Until this is called, the charts show the present.
    void follow(model::TimeCursor& moment);
    bool follows() const { return moment_ != nullptr; }
    /// Returns the time to show, given the client's time `told`. The curves of a recording (`replayed`) end at `told`.
    ShownMoment shown(TimePoint told, bool replayed) const;
    /// Shows the cursor at `x`, a position on the axis of steps or of time. If `x` is empty, shows the cursor at the
    /// past time that all views show; if they show the present, hides the cursor.
    void show(bool by_step, std::optional<double> x);
    /// Shows the cursor at the time that all views show, if that is a past time; otherwise, hides the cursor.
    void show_moment();

Q_SIGNALS:
    /// The time that all views show has changed. The cursor moves to the new time after this signal.
    void momentChanged();

private:
    void follow_moment();
    void pick(bool by_step, double x);

    ChartGrid& grid_;
    const TaskAxes& axes_;
    QPointer<model::TimeCursor> moment_;
};

}  // namespace divisi::charts
