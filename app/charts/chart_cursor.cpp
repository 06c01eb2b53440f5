// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/chart_cursor.h"

#include <algorithm>
#include <chrono>

namespace divisi::charts {

ChartCursor::ChartCursor(ChartGrid& grid, const TaskAxes& axes) : grid_(grid), axes_(axes) {
    for (const Chart which : grid.charts()) {
        const bool by_step = is_by_step(which);
        const LineChart& chart = grid.chart(which);
        connect(&chart, &LineChart::hovered, this, [this, by_step](std::optional<double> x) { show(by_step, x); });
        connect(&chart, &LineChart::clicked, this, [this, by_step](double x) { pick(by_step, x); });
    }
}

void ChartCursor::follow(model::TimeCursor& moment) {
    moment_ = &moment;
    connect(&moment, &model::TimeCursor::moved, this, [this] {
        if (moment_ && !moment_->live()) follow_moment();  // if live, the cursor stays at the pointer
    });
    connect(&moment, &model::TimeCursor::modeChanged, this, &ChartCursor::follow_moment);
}

void ChartCursor::follow_moment() {
    Q_EMIT momentChanged();
    show_moment();
}

ShownMoment ChartCursor::shown(TimePoint told, bool replayed) const {
    const auto seconds = [](TimePoint at) { return std::chrono::duration<double>(at.time_since_epoch()).count(); };
    if (!moment_ || moment_->live()) return {seconds(told), false};
    if (replayed) return {seconds(std::min(moment_->at(), told)), false};
    return {seconds(moment_->at()), true};
}

void ChartCursor::show(bool by_step, std::optional<double> x) {
    if (!x && moment_ && !moment_->live()) return show_moment();
    const std::optional<double> other = x ? axes_.on_other_axis(by_step, *x) : std::nullopt;
    for (const Chart which : grid_.charts()) grid_.chart(which).set_cursor(is_by_step(which) == by_step ? x : other);
}

void ChartCursor::show_moment() {
    if (!moment_ || moment_->live()) return show(false, std::nullopt);
    const double seconds = std::chrono::duration<double>(moment_->at().time_since_epoch()).count();
    show(false, seconds - axes_.origin());
}

void ChartCursor::pick(bool by_step, double x) {
    if (!moment_) return;
    const std::optional<double> seconds = axes_.seconds_at(by_step, x);
    if (!seconds) return;
    moment_->set(TimePoint(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*seconds))));
}

}  // namespace divisi::charts

#include "moc_chart_cursor.cpp"
