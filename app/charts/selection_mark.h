// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>
#include <optional>

#include "app/charts/chart_grid.h"
#include "app/charts/telemetry_lines.h"
#include "app/model/tracking/selection.h"

namespace divisi::charts {

/// Keeps the selection of the charts, and marks the selected step in all of them. A click on a curve over steps selects
/// the step.
class SelectionMark : public QObject {
    Q_OBJECT
public:
    /// `grid` and `axes` must outlive the mark.
    SelectionMark(ChartGrid& grid, const TaskAxes& axes);

    void follow(model::Selection& selection);
    bool follows() const { return selection_ != nullptr; }
    const model::Selected& selected() const { return selected_; }
    /// Returns the selected step of the shown task; nothing if no step of this task is selected.
    std::optional<double> step() const;
    /// Marks the selected step, or removes the mark.
    void show();

Q_SIGNALS:
    /// The selection has changed. The mark is moved after this signal.
    void changed();

private:
    void select_step(double x);

    ChartGrid& grid_;
    const TaskAxes& axes_;
    QPointer<model::Selection> selection_;
    model::Selected selected_;
};

}  // namespace divisi::charts
