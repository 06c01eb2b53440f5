// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/zoom_ranges.h"

namespace divisi::charts {

ZoomRanges::ZoomRanges(ChartGrid& grid) : grid_(grid) {
    for (const Chart which : grid.charts()) {
        const bool by_step = is_by_step(which);
        const LineChart& chart = grid.chart(which);
        connect(&chart, &LineChart::rangeChosen, this,
                [this, by_step](double from, double to) { choose_range(by_step, Range(from, to)); });
        connect(&chart, &LineChart::rangeReset, this, [this, by_step] { choose_range(by_step, std::nullopt); });
        connect(&chart, &LineChart::wholeChosen, this, &ZoomRanges::show_whole);
    }
}

void ZoomRanges::show_whole(bool whole) {
    whole_ = whole;
    for (const Chart which : grid_.charts())
        if (!is_by_step(which)) grid_.chart(which).show_whole(whole);
    Q_EMIT changed();
}

void ZoomRanges::show_all(bool whole) {
    choose_range(true, std::nullopt);
    show_whole(whole);
}

std::optional<ZoomRanges::Range> ZoomRanges::shown_steps() const {
    return grid_.loss().zoomed() ? std::optional(grid_.loss().shown_range()) : std::nullopt;
}

void ZoomRanges::show_steps(const TaskId& task, Range range) {
    if (task == task_) return zoom_all(true, range);
    wanted_steps_ = {task, range};
}

void ZoomRanges::show_task(const TaskId& task) {
    task_ = task;
    zoom_all(true, std::nullopt);
    zoom_all(false, std::nullopt);
    Q_EMIT changed();
    if (wanted_steps_ && wanted_steps_->first == task)
        zoom_all(true, std::exchange(wanted_steps_, std::nullopt)->second);
}

void ZoomRanges::zoom_all(bool by_step, std::optional<Range> range) {
    for (const Chart which : grid_.charts()) {
        if (is_by_step(which) != by_step) continue;
        LineChart& chart = grid_.chart(which);
        if (range) chart.zoom_to(range->first, range->second);
        else if (chart.zoomed()) chart.unzoom();
    }
}

void ZoomRanges::choose_range(bool by_step, std::optional<Range> range) {
    zoom_all(by_step, range);
    Q_EMIT changed();
    if (by_step) Q_EMIT stepsChosen();
}

}  // namespace divisi::charts

#include "moc_zoom_ranges.cpp"
