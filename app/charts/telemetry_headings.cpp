// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/telemetry_headings.h"

#include <QLocale>
#include <algorithm>
#include <chrono>
#include <limits>

#include "app/charts/telemetry_view.h"
#include "app/client/refusal_text.h"
#include "app/model/wording/states.h"
#include "app/model/wording/text.h"

namespace divisi::charts {

namespace {

/// A step counts as late after `late_steps` times the duration of the last step, but after `least_late_s` seconds at
/// the earliest.
constexpr double late_steps = 3, least_late_s = 5;

const QString part_sign = QStringLiteral(" \u00b7 ");

QString joined(QStringList parts) {
    parts.removeAll(QString());
    return parts.join(part_sign);
}

QString age_of(double seconds) {
    using Steady = std::chrono::steady_clock::duration;
    return model::age_text(std::chrono::duration_cast<Steady>(std::chrono::duration<double>(seconds)));
}

TimePoint point_of(double seconds) {
    return TimePoint(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)));
}

QString share_text(double percent) { return QLocale().toString(percent, 'f', 1) + u'%'; }

}  // namespace

QString TelemetryHeadings::text(Chart chart, const control::TaskView& task, const std::vector<LineChart::Line>& lines,
                                const ShownMoment& shown, double origin) const {
    if (!is_by_step(chart)) return by_time(chart, task, lines, shown, origin);
    return lines.front().pale ? QString() : by_step(chart, task, lines.front(), shown);
}

QString TelemetryHeadings::by_step(Chart chart, const control::TaskView& task, const LineChart::Line& line,
                                   const ShownMoment& shown) const {
    std::optional<double> step = std::numeric_limits<double>::infinity();
    if (shown.past) step = telemetry_.step_at(task.id, shown.seconds);
    const std::optional<QPointF> last = step ? line.at(*step) : std::nullopt;
    if (!last) return {};
    const bool old = task.runs() && !shown.past && chart != Chart::accuracy;  // accuracy is never late
    return joined({figure_at(chart, task, *last), old ? age_of_step(task, last->x(), shown.seconds) : QString()});
}

QString TelemetryHeadings::figure_at(Chart chart, const control::TaskView& task, const QPointF& last) const {
    switch (chart) {
        case Chart::speed: return QLocale().toString(last.y(), 'f', 1);
        case Chart::step_time: return model::ms_text(last.y());
        case Chart::accuracy: return share_text(last.y());
        default: break;
    }
    const QString loss = model::loss_text(last.y());
    LineChart::Line measured;
    measured.series = telemetry_.store().find(model::Telemetry::of_task(task.id, "accuracy"));
    const auto accuracy = measured.series ? measured.at(last.x()) : std::nullopt;
    if (!accuracy) return TelemetryView::tr("%1 at step %2").arg(loss).arg(last.x(), 0, 'f', 0);
    return loss + part_sign + TelemetryView::tr("accuracy %1").arg(share_text(accuracy->y() * 100));
}

QString TelemetryHeadings::age_of_step(const control::TaskView& task, double step, double now) const {
    const std::optional<double> done = telemetry_.seconds_of(task.id, step);
    const double step_s = task.history.empty() ? 0 : task.history.back().step_ms / 1e3;
    return done && now - *done > std::max(least_late_s, late_steps * step_s) ? age_of(now - *done) : QString();
}

/// Returns the heading of a chart by time. The mean covers only lines that are current at the displayed time, not
/// instances that were replaced, have ended or are silent.
QString TelemetryHeadings::by_time(Chart chart, const control::TaskView& task,
                                   const std::vector<LineChart::Line>& lines, const ShownMoment& shown, double origin) {
    double now = shown.seconds - origin;
    if (!shown.past)  // include all samples, because clocks of other machines may be ahead
        for (const LineChart::Line& line : lines) now = std::max(now, line.last().value_or(QPointF(now, 0)).x());
    double sum = 0;
    int alive = 0;
    std::optional<double> newest;
    for (const LineChart::Line& line : lines) {
        const std::optional<QPointF> last = line.at(now);
        if (!last) continue;
        newest = std::max(newest.value_or(last->x()), last->x());
        if (!line.reaches(last->x(), now)) continue;
        sum += last->y();
        ++alive;
    }
    const bool of_shares = chart == Chart::busy || chart == Chart::wait;
    if (alive > 0) return of_shares ? TelemetryView::tr("mean %1 %").arg(qRound(sum / alive)) : QString();
    if (!newest) return {};
    const bool ended = task.over() && !is_of_links(chart) && !is_of_nodes(chart);
    return ended ? TelemetryView::tr("until %1").arg(model::date_text(point_of(*newest + origin)))
                 : age_of(now - *newest);
}

namespace {

QString ended_text(const control::TaskView& task, const QString& name, const control::ClusterState& state) {
    if (task.outcome == control::Outcome::succeeded) return TelemetryView::tr("%1 has ended without a step.").arg(name);
    if (task.outcome == control::Outcome::stopped)
        return TelemetryView::tr("%1 was stopped before its first step.").arg(name) + u'\n' +
               TelemetryView::tr("Run (F5) in New task starts another task.");
    const QString why =
        task.error ? client::quoted(*task.error) : TelemetryView::tr("The cluster gave no reason; see Logs.");
    QString text = TelemetryView::tr("%1 failed before its first step.").arg(name) + u'\n' + why + u'\n';
    const auto is_of_task = [&](const auto& one) { return one.second.task == task.id; };
    if (std::ranges::any_of(state.exceptions, is_of_task))
        return text + TelemetryView::tr("In Exceptions you can run the task again, unchanged or edited.");
    return text + TelemetryView::tr("Run (F5) in New task starts another task.");
}

}  // namespace

QString awaited_text(const control::TaskView& task, const control::ClusterState& state) {
    const QString name = QString::fromStdString(task.name);
    if (task.over()) return ended_text(task, name, state);
    if (task.held)
        return TelemetryView::tr(
                   "%1 is held: it was still queued when an earlier cluster ended. Use Release in Tasks to start it.")
            .arg(name);
    if (task.phase != control::TaskPhase::queued)
        return TelemetryView::tr("Waiting for the first step of %1.").arg(name);
    if (task.queue == control::QueueState::files)
        return TelemetryView::tr("%1 is queued until its files are on its nodes. It starts automatically.").arg(name);
    QString text =
        TelemetryView::tr("%1 is queued until its nodes are ready and free. It starts automatically.").arg(name);
    if (!task.phase_detail.empty()) text += u'\n' + client::quoted(task.phase_detail);
    return text;
}

}  // namespace divisi::charts
