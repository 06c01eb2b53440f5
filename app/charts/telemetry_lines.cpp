// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/telemetry_lines.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

namespace divisi::charts {

namespace {

using model::Telemetry;

/// Instances report twice a second. If no report has arrived for this long, reports are missing and the line has a gap.
constexpr double load_reach_s = 4;
/// Link reports are requested once a second, and only while the view is visible.
constexpr double link_reach_s = 5;
constexpr double node_reach_s = std::chrono::duration<double>(control::node_machine_age).count();
/// Maximum number of lines in a chart of links, because more lines cannot be distinguished. The links with the most
/// traffic are shown.
constexpr std::size_t most_links = 8;
/// Maximum number of lines in a chart of nodes. Nodes on which the task's instances run are preferred.
constexpr std::size_t most_nodes = 8;
constexpr double mebi = 1 << 20, gibi = 1 << 30;

/// Returns the Telemetry figure that a chart shows and the factor for its values.
std::pair<const char*, double> figure_of(Chart chart) {
    switch (chart) {
        case Chart::loss: return {"loss", 1};
        case Chart::speed: return {"samples_per_s", 1};
        case Chart::step_time: return {"step_ms", 1};
        case Chart::accuracy: return {"accuracy", 100};
        case Chart::busy: return {"busy", 100};
        case Chart::wait: return {"wait", 100};
        case Chart::memory: return {"memory", 1 / mebi};
        case Chart::sent: return {"sent", 1 / mebi};
        case Chart::link_rate: return {"rate", 1 / mebi};
        case Chart::link_latency: return {"latency", 1e3};
        case Chart::link_queued: return {"queued", 1 / mebi};
        case Chart::link_credit: return {"credit", 1 / mebi};
        case Chart::node_cpu: return {"cpu", 100};
        case Chart::node_memory: return {"used", 1 / gibi};
        case Chart::node_temperature: return {"temperature", 1};
        case Chart::node_power: return {"power", 1};
    }
    return {"", 1};
}

}  // namespace

bool is_by_step(Chart chart) {
    return chart == Chart::loss || chart == Chart::speed || chart == Chart::step_time || chart == Chart::accuracy;
}

bool is_of_links(Chart chart) { return chart >= Chart::link_rate && chart <= Chart::link_credit; }

bool is_of_nodes(Chart chart) { return chart >= Chart::node_cpu; }

QString TelemetryLines::id(Chart chart) { return QString::fromLatin1(figure_of(chart).first); }

QString TelemetryLines::title(Chart chart) {
    switch (chart) {
        case Chart::loss: return tr("Loss");
        case Chart::speed: return tr("Throughput");
        case Chart::step_time: return tr("Step time");
        case Chart::accuracy: return tr("Accuracy");
        case Chart::busy: return tr("Computing");
        case Chart::wait: return tr("Waiting");
        case Chart::memory: return tr("Memory");
        case Chart::sent: return tr("Sent");
        case Chart::link_rate: return tr("Links: bandwidth");
        case Chart::link_latency: return tr("Links: latency");
        case Chart::link_queued: return tr("Links: queued");
        case Chart::link_credit: return tr("Links: credit");
        case Chart::node_cpu: return tr("Nodes: CPU");
        case Chart::node_memory: return tr("Nodes: memory");
        case Chart::node_temperature: return tr("Nodes: temperature");
        case Chart::node_power: return tr("Nodes: power");
    }
    return {};
}

QString TelemetryLines::unit(Chart chart) {
    switch (chart) {
        case Chart::loss: return {};
        case Chart::speed: return tr("samples/s");
        case Chart::step_time:
        case Chart::link_latency: return tr("ms");
        case Chart::accuracy: return QStringLiteral("%");
        case Chart::busy:
        case Chart::wait: return tr("% of the time");
        case Chart::memory:
        case Chart::link_queued:
        case Chart::link_credit: return tr("MiB");
        case Chart::sent:
        case Chart::link_rate: return tr("MiB/s");
        case Chart::node_cpu: return QStringLiteral("%");
        case Chart::node_memory: return tr("GiB");
        case Chart::node_temperature: return QStringLiteral("\u00b0C");
        case Chart::node_power: return QStringLiteral("W");
    }
    return {};
}

QString TelemetryLines::x_title(Chart chart) { return is_by_step(chart) ? tr("Step") : tr("Time, s"); }

void TelemetryLines::add(std::vector<LineChart::Line>& lines, const QString& name, const std::string& curve,
                         double scale) const {
    auto series = telemetry_.store().find(curve);
    if (!series || series->empty()) return;
    LineChart::Line line{name, {}, false};
    line.series = std::move(series);
    line.scale = scale;
    lines.push_back(std::move(line));
}

std::vector<LineChart::Line> TelemetryLines::loss(const TaskId& task) const {
    std::vector<LineChart::Line> lines;
    const std::string prefix = Telemetry::of_task(task, "head|");
    const auto heads = telemetry_.store().names(prefix);
    add(lines, heads.empty() ? tr("Training") : tr("All heads, weighted"), Telemetry::of_task(task, "loss"));
    for (const std::string& head : heads) add(lines, QString::fromStdString(head.substr(prefix.size())), head);
    const std::size_t before = lines.size();
    add(lines, tr("Validation"), Telemetry::of_task(task, "validation"));
    if (lines.size() > before) lines.back().markers = true;
    return lines;
}

std::vector<LineChart::Line> TelemetryLines::of_instances(Chart chart, const TaskId& task, double origin,
                                                          const InstanceId& chosen) const {
    std::vector<LineChart::Line> lines;
    const auto [figure, scale] = figure_of(chart);
    for (const auto& [id, instance] : client_->data().state.instances) {
        if (instance.task != task) continue;
        const std::size_t before = lines.size();
        QString name = QString::fromStdString(id.value());
        if (instance.stage >= 0) name = tr("Stage %1").arg(instance.stage + 1);
        add(lines, name, Telemetry::of_instance(id, figure), scale);
        if (lines.size() == before) continue;
        lines.back().chosen = id == chosen;
        lines.back().reach = load_reach_s;
        lines.back().shift = origin;
    }
    return lines;
}

std::vector<LineChart::Line> TelemetryLines::of_links(Chart chart, double origin, const model::Selected& chosen) const {
    const auto [figure, scale] = figure_of(chart);
    std::vector<std::pair<double, LineChart::Line>> ranked;
    for (const auto& [ends, heard] : telemetry_.links()) {
        std::vector<LineChart::Line> one;
        add(one, QString::fromStdString(ends.first) + QStringLiteral(" \u2192 ") + QString::fromStdString(ends.second),
            Telemetry::of_link(ends.first, ends.second, figure), scale);
        if (one.empty()) continue;
        one.front().reach = link_reach_s;
        one.front().shift = origin;
        one.front().chosen = model::Selected::of_link(ends.first, ends.second) == chosen;
        // Rank by the traffic of the link, even if the chart shows another figure, so that all charts show the same
        // links.
        const auto rate = telemetry_.store().find(Telemetry::of_link(ends.first, ends.second, "rate"));
        double most = 0;
        if (rate)
            for (const model::Sample& sample : rate->view(*rate->first_x(), *rate->last_x(), 1).samples)
                most = std::max(most, sample.y);
        // a chosen line is always included, even with little traffic
        if (one.front().chosen) most = std::numeric_limits<double>::infinity();
        ranked.emplace_back(most, std::move(one.front()));
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    if (ranked.size() > most_links) ranked.resize(most_links);
    std::vector<LineChart::Line> lines;
    for (auto& [most, line] : ranked) lines.push_back(std::move(line));
    return lines;
}

std::vector<LineChart::Line> TelemetryLines::of_nodes(Chart chart, const TaskId& task, double origin,
                                                      const model::Selected& chosen) const {
    const auto [figure, scale] = figure_of(chart);
    const client::ClusterData& data = client_->data();
    std::set<NodeId> working;
    for (const auto& [id, instance] : data.state.instances)
        if (instance.task == task) working.insert(instance.node);
    std::vector<LineChart::Line> first, others;
    for (const auto& [node, samples] : data.nodes) {
        std::vector<LineChart::Line>& lines = working.contains(node) ? first : others;
        const std::size_t before = lines.size();
        add(lines, QString::fromStdString(node.value()), Telemetry::of_node(node, figure), scale);
        if (lines.size() == before) continue;
        lines.back().chosen = model::Selected::of_node(node) == chosen;
        lines.back().reach = node_reach_s;
        lines.back().shift = origin;
    }
    first.insert(first.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
    if (first.size() <= most_nodes) return first;
    std::stable_partition(first.begin(), first.end(), [](const LineChart::Line& one) { return one.chosen; });
    first.resize(most_nodes);
    return first;
}

std::vector<LineChart::Line> TelemetryLines::lines(Chart chart, const control::TaskView& task,
                                                   const std::vector<TaskId>& others, double origin,
                                                   const Chosen& chosen) const {
    if (is_of_links(chart)) return of_links(chart, origin, chosen.other);
    if (is_of_nodes(chart)) return of_nodes(chart, task.id, origin, chosen.other);
    if (!is_by_step(chart)) return of_instances(chart, task.id, origin, chosen.instance);
    std::vector<LineChart::Line> lines;
    const auto [figure, scale] = figure_of(chart);
    if (chart == Chart::loss) lines = loss(task.id);
    else add(lines, title(chart), Telemetry::of_task(task.id, figure), scale);
    for (const TaskId& other : others) {
        const std::size_t before = lines.size();
        add(lines, QString::fromStdString(other.value()), Telemetry::of_task(other, figure), scale);
        if (lines.size() > before) lines.back().pale = true;
    }
    if (chart == Chart::accuracy)  // evaluations are far apart, so show dots
        for (LineChart::Line& line : lines) line.markers = true;
    return lines;
}

double TelemetryLines::origin(const TaskId& task) const {
    std::optional<double> first;
    const auto take = [&](const std::string& curve) {
        const auto series = telemetry_.store().find(curve);
        if (series && !series->empty()) first = std::min(first.value_or(*series->first_x()), *series->first_x());
    };
    if (client_)
        for (const auto& [id, instance] : client_->data().state.instances)
            if (instance.task == task) take(Telemetry::of_instance(id, "busy"));
    if (first) return *first;
    for (const auto& [ends, heard] : telemetry_.links()) take(Telemetry::of_link(ends.first, ends.second, "rate"));
    return first.value_or(telemetry_.began());
}

}  // namespace divisi::charts
