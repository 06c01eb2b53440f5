// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/selection_mark.h"

#include <algorithm>
#include <cmath>

namespace divisi::charts {

SelectionMark::SelectionMark(ChartGrid& grid, const TaskAxes& axes) : grid_(grid), axes_(axes) {
    for (const Chart which : grid.charts())
        if (is_by_step(which)) connect(&grid.chart(which), &LineChart::clicked, this, &SelectionMark::select_step);
}

void SelectionMark::follow(model::Selection& selection) {
    selection_ = &selection;
    connect(&selection, &model::Selection::changed, this, [this](const model::Selected& what) {
        selected_ = what;
        Q_EMIT changed();
    });
}

std::optional<double> SelectionMark::step() const {
    if (selected_.kind != model::Selected::Kind::step || selected_.task != axes_.task()) return std::nullopt;
    return static_cast<double>(selected_.number);
}

void SelectionMark::show() {
    const std::optional<double> step = this->step();
    const std::optional<double> time = step ? axes_.on_other_axis(true, *step) : std::nullopt;
    for (const Chart which : grid_.charts()) grid_.chart(which).set_mark(is_by_step(which) ? step : time);
}

/// Selects the step nearest to `x` on the axis of steps, which count from 1.
void SelectionMark::select_step(double x) {
    if (!selection_ || axes_.task() == TaskId()) return;
    const auto step = static_cast<std::uint64_t>(std::max<long long>(std::llround(x), 1));
    selection_->select(model::Selected::of_step(axes_.task(), step));
}

}  // namespace divisi::charts

#include "moc_selection_mark.cpp"
