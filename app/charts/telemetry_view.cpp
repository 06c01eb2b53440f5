// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/telemetry_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLocale>
#include <algorithm>
#include <chrono>

#include "app/model/selected_instance.h"
#include "app/model/text.h"

namespace divisi::charts {

namespace {

/// The x axis of the busy shares: so far back.
constexpr double busy_window_s = 120;
/// Instances report twice a second: after so long without a report some are missing, and the line has a gap.
constexpr double busy_reach_s = 4;

double seconds_ago(std::chrono::steady_clock::time_point time) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - time).count();
}

}  // namespace

TelemetryView::TelemetryView(client::Client* client, QWidget* parent)
    : QWidget(parent),
      client_(client),
      stack_(new QStackedLayout(this)),
      empty_(new QLabel(this)),
      page_(new QWidget(this)),
      loss_(new LineChart(page_)),
      speed_(new LineChart(page_)),
      busy_(new LineChart(page_)) {
    setObjectName(QStringLiteral("telemetry"));
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    empty_->setProperty("role", QStringLiteral("faint"));
    busy_->set_fixed_y(0, 100, 25);
    busy_->set_fixed_x(-busy_window_s, 0, busy_window_s / 2);
    row_ = new QHBoxLayout(page_);
    row_->setContentsMargins(0, 0, 0, 0);
    row_->setSpacing(0);
    for (LineChart* chart : {loss_, speed_, busy_}) row_->addWidget(chart, 1);
    stack_->addWidget(empty_);
    stack_->addWidget(page_);
    setMinimumHeight(180);
    if (client_) connect(client_, &client::Client::dataChanged, this, &TelemetryView::refresh);
    retranslate();
}

void TelemetryView::show_task(const TaskId& task) {
    if (task_ == task) return;
    task_ = task;
    refresh();
}

void TelemetryView::refresh() {
    if (!isVisible()) return;
    const auto& tasks = client_ ? client_->data().state.tasks : std::map<TaskId, control::TaskView>();
    const auto found = tasks.find(task_);
    if (found == tasks.end()) return show_empty(tr("Run a task to see its loss, speed and load here."));
    const control::TaskView& task = found->second;
    if (task.history.empty())
        return show_empty(tr("Waiting for the first step of %1.").arg(QString::fromStdString(task.name)));
    stack_->setCurrentWidget(page_);
    show_loss(task);
    show_busy(task);
}

void TelemetryView::show_empty(const QString& text) {
    empty_->setText(text);
    stack_->setCurrentWidget(empty_);
}

void TelemetryView::show_loss(const control::TaskView& task) {
    LineChart::Line training{tr("Training"), {}, false}, validation{tr("Validation"), {}, true};
    LineChart::Line speed{tr("Samples per second"), {}, false};
    std::vector<LineChart::Line> heads;
    for (const control::StepRecord& record : task.history) {
        for (const control::HeadRecord& head : record.heads) {
            const QString name = QString::fromStdString(head.name);
            auto line = std::ranges::find(heads, name, &LineChart::Line::name);
            if (line == heads.end()) line = heads.insert(line, {name, {}, false});
            line->points << QPointF(static_cast<double>(record.step), static_cast<double>(head.loss));
        }
        training.points << QPointF(static_cast<double>(record.step), static_cast<double>(record.loss));
        speed.points << QPointF(static_cast<double>(record.step), record.samples_per_s);
    }
    for (const control::EvalRecord& record : task.evaluations)
        validation.points << QPointF(static_cast<double>(record.step), static_cast<double>(record.loss));
    const control::StepRecord& last = task.history.back();
    QString latest = model::loss_text(static_cast<double>(last.loss));
    if (!task.evaluations.empty() && task.evaluations.back().accuracy)
        latest += QStringLiteral(" \u00b7 ") +
                  tr("accuracy %1").arg(QLocale().toString(*task.evaluations.back().accuracy * 100, 'f', 1) + u'%');
    else latest = tr("%1 at step %2").arg(latest).arg(last.step);
    if (!heads.empty()) training.name = tr("All heads, weighted");
    std::vector<LineChart::Line> lines{training};
    lines.insert(lines.end(), heads.begin(), heads.end());
    if (!validation.points.empty()) lines.push_back(validation);
    loss_->show_lines(lines, latest, starts_of(task));
    speed_->show_lines({speed}, QLocale().toString(last.samples_per_s, 'f', 1));
}

/// Where the task went back to, and did steps again: what the curve shows behind it is of the newest generation.
std::vector<LineChart::Start> TelemetryView::starts_of(const control::TaskView& task) const {
    const auto text = [](Generation generation, std::int64_t step) {
        return tr("Generation %1, from step %2").arg(generation).arg(step);
    };
    std::vector<LineChart::Start> starts;
    bool newest = false;
    for (const control::Incident& one : client_->data().incidents.all()) {
        if (one.task != task.id || one.generation == 0) continue;
        newest = newest || one.generation == task.generation;
        const QString why = QString::fromStdString(one.fault).simplified();
        starts.push_back(
            {static_cast<double>(one.from_step), tr("%1: %2").arg(text(one.generation, one.from_step), why)});
    }
    if (!newest && task.from_step > 0)  // from before this console was connected
        starts.push_back({static_cast<double>(task.from_step), text(task.generation, task.from_step)});
    return starts;
}

void TelemetryView::show_busy(const control::TaskView& task) {
    std::vector<LineChart::Line> lines;
    double sum = 0;
    const InstanceId selected = model::instance_of(selected_, client_->data().state);
    for (const auto& [id, samples] : client_->data().loads) {
        const auto instance = client_->data().state.instances.find(id);
        if (instance == client_->data().state.instances.end() || instance->second.task != task.id) continue;
        LineChart::Line line{QString::fromStdString(id.value()), {}, false, busy_reach_s, id == selected};
        if (instance->second.stage >= 0) line.name = tr("Stage %1").arg(instance->second.stage + 1);
        for (const client::LoadSample& sample : samples) {
            const double ago = seconds_ago(sample.time);
            if (ago <= busy_window_s) line.points << QPointF(-ago, sample.load.busy_share * 100);
        }
        if (line.points.empty()) continue;
        sum += line.points.back().y();
        lines.push_back(std::move(line));
    }
    const QString latest =
        lines.empty() ? tr("no report yet") : tr("mean %1 %").arg(qRound(sum / static_cast<double>(lines.size())));
    busy_->show_lines(lines, latest);
}

void TelemetryView::mark(const model::Selected& what) {
    selected_ = what;
    refresh();
}

void TelemetryView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void TelemetryView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void TelemetryView::retranslate() {
    loss_->set_title(tr("Loss"));
    loss_->set_x_title(tr("Step"));
    speed_->set_title(tr("Samples/s"));
    speed_->set_x_title(tr("Step"));
    busy_->set_title(tr("Busy, %"));
    busy_->set_x_title(tr("Seconds"));
    show_empty(tr("Run a task to see its loss, speed and load here."));
    refresh();
}

}  // namespace divisi::charts
