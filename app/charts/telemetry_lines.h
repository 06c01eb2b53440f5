// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <optional>
#include <vector>

#include "app/charts/line_chart.h"
#include "app/client/client.h"
#include "app/model/selection.h"
#include "app/model/telemetry.h"

namespace divisi::charts {

/// The charts of the telemetry view, in their order on screen.
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

/// Whether its x axis is steps; else it is seconds.
bool is_by_step(Chart chart);
/// Whether it is about links, whatever task is shown.
bool is_of_links(Chart chart);
/// Likewise about nodes.
bool is_of_nodes(Chart chart);

/// Names of charts and the lines that they are made of.
class TelemetryLines {
    Q_DECLARE_TR_FUNCTIONS(TelemetryLines)
public:
    TelemetryLines(const client::Client* client, const model::Telemetry& telemetry)
        : client_(client), telemetry_(telemetry) {}

    struct Chosen {
        InstanceId instance;
        model::Selected other;  ///< a link or a node; of another kind: none is chosen
    };

    /// What a chart is called in settings.
    static QString id(Chart chart);
    static QString title(Chart chart);
    static QString unit(Chart chart);
    static QString x_title(Chart chart);
    /// Those of which something was told. `origin`: what x counts seconds from; `others`: tasks whose curves
    /// stand beside those by step, pale. The lines of the instance, of the node, or of both ways of the link, that
    /// are chosen are drawn thicker.
    std::vector<LineChart::Line> lines(Chart chart, const control::TaskView& task, const std::vector<TaskId>& others,
                                       double origin, const Chosen& chosen = {}) const;
    /// The first moment that anything was told of a task's instances; where nothing was, of a link, else that at which
    /// the telemetry began.
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

}  // namespace divisi::charts
