// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <optional>
#include <vector>

#include "app/charts/line_chart.h"
#include "app/client/client.h"
#include "app/model/tracking/selection.h"
#include "app/model/tracking/telemetry.h"

namespace divisi::charts {

/// The charts of the telemetry view, in their default order on screen.
enum class Chart {
    loss,
    busy,
    speed,
    step_time,
    accuracy,
    wait,
    memory,
    sent,
    link_rate,
    link_latency,
    link_queued,
    link_credit,
    node_cpu,
    node_memory,
    node_temperature,
    node_power
};
inline constexpr std::size_t chart_count = 16;

/// Returns whether the x axis shows steps. Otherwise it shows seconds.
bool is_by_step(Chart chart);
/// Returns whether the chart shows links, which do not depend on the selected task.
bool is_of_links(Chart chart);
/// Returns whether the chart shows nodes, which do not depend on the selected task.
bool is_of_nodes(Chart chart);

/// Makes the lines of the charts, and names the charts.
class TelemetryLines {
    Q_DECLARE_TR_FUNCTIONS(TelemetryLines)
public:
    TelemetryLines(const client::Client* client, const model::Telemetry& telemetry)
        : client_(client), telemetry_(telemetry) {}

    struct Chosen {
        InstanceId instance;
        model::Selected other;  ///< selected link or node; any other kind: neither a link nor a node is selected
    };

    /// Returns the chart's name in the settings.
    static QString id(Chart chart);
    static QString title(Chart chart);
    static QString unit(Chart chart);
    static QString x_title(Chart chart);
    /// Returns the lines that have data. `origin` is the zero of x in seconds. `others` are tasks whose curves are
    /// added, pale, to the charts by step. The lines of the chosen instance, node or link (both directions) are drawn
    /// thicker.
    std::vector<LineChart::Line> lines(Chart chart, const control::TaskView& task, const std::vector<TaskId>& others,
                                       double origin, const Chosen& chosen = {}) const;
    /// Returns the time of the first report of the task's instances. If there is none, returns the time of the first
    /// link report or, without reports, the time at which telemetry began.
    double origin(const TaskId& task) const;

private:
    std::vector<LineChart::Line> loss(const TaskId& task) const;
    std::vector<LineChart::Line> of_instances(Chart chart, const TaskId& task, double origin,
                                              const InstanceId& chosen) const;
    std::vector<LineChart::Line> of_links(Chart chart, double origin, const model::Selected& chosen) const;
    std::vector<LineChart::Line> of_nodes(Chart chart, const TaskId& task, double origin,
                                          const model::Selected& chosen) const;
    void add(std::vector<LineChart::Line>& lines, const QString& name, const std::string& curve,
             double scale = 1) const;

    const client::Client* client_;
    const model::Telemetry& telemetry_;
};

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
