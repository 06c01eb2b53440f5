// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <optional>
#include <utility>

#include "app/charts/chart_grid.h"
#include "backend/base/ids.h"

namespace divisi::charts {

/// Stores the ranges that the charts show. All charts with the same kind of axis show the same range.
class ZoomRanges : public QObject {
    Q_OBJECT
public:
    using Range = std::pair<double, double>;

    /// `grid` must outlive the ranges.
    explicit ZoomRanges(ChartGrid& grid);

    /// Returns whether the charts by time, when not zoomed, show the whole range rather than only the end.
    bool whole() const { return whole_; }
    void show_whole(bool whole);
    /// Ends zooming, and shows the whole time range or only its end.
    void show_all(bool whole);
    /// Returns whether the charts by time show the whole range now.
    bool shows_all() const { return whole_ && !grid_.busy().zoomed(); }
    /// Returns the range of steps the user has zoomed to; empty while all steps are shown.
    std::optional<Range> shown_steps() const;
    /// Zooms to the range of steps as soon as this task is shown.
    void show_steps(const TaskId& task, Range range);
    /// Ends zooming, because another task is shown. Then zooms to the range that show_steps() stored for this task, if
    /// any.
    void show_task(const TaskId& task);

Q_SIGNALS:
    /// The user has zoomed or panned the charts over steps.
    void stepsChosen();
    /// The result of shows_all() may have changed.
    void changed();

private:
    void zoom_all(bool by_step, std::optional<Range> range);
    void choose_range(bool by_step, std::optional<Range> range);

    ChartGrid& grid_;
    TaskId task_;
    std::optional<std::pair<TaskId, Range>> wanted_steps_;  ///< range for a task that is not shown yet
    bool whole_ = false;
};

}  // namespace divisi::charts
