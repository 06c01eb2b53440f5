// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "app/charts/telemetry_lines.h"
#include "app/model/tracking/telemetry.h"

namespace divisi::charts {

/// Stores the shown task, and converts positions between the axis of steps and the axis of time.
class TaskAxes {
public:
    /// `lines` and `telemetry` must outlive the axes.
    TaskAxes(const TelemetryLines& lines, const model::Telemetry& telemetry) : lines_(lines), telemetry_(telemetry) {}

    const TaskId& task() const { return task_; }
    void set_task(const TaskId& task) { task_ = task; }
    /// Returns the zero of the axis of time, in seconds since the epoch.
    double origin() const { return lines_.origin(task_); }
    /// Returns the time of a position, in seconds since the epoch; nothing for a step of unknown time.
    std::optional<double> seconds_at(bool by_step, double x) const {
        return by_step ? telemetry_.seconds_of(task_, x) : std::optional(x + origin());
    }
    /// Returns the position on the other axis; nothing if it is unknown.
    std::optional<double> on_other_axis(bool by_step, double x) const {
        if (!by_step) return telemetry_.step_at(task_, x + origin());
        const std::optional<double> seconds = telemetry_.seconds_of(task_, x);
        return seconds ? std::optional(*seconds - origin()) : std::nullopt;
    }

private:
    const TelemetryLines& lines_;
    const model::Telemetry& telemetry_;
    TaskId task_;
};

}  // namespace divisi::charts
