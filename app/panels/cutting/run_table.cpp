// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/cutting/run_table.h"

#include <QEvent>
#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/client/embedded_host.h"
#include "app/model/comparison/run_prediction.h"
#include "app/model/tracking/stage_loads.h"
#include "app/model/wording/text.h"
#include "app/panels/tables/plain_table.h"
#include "backend/submit/placement.h"

namespace divisi::panels {
namespace {

/// Minimum height, enough for the header and one row. The graph above needs the space on a small screen.
constexpr int least_table_height = 56;

enum Column : int { stage_column, busy_column, wait_column, sent_column, memory_column, column_count };

QString signed_percent(double share) {
    return (share >= 0 ? QStringLiteral("+") : QStringLiteral("\u2212")) + model::percent(std::abs(share));
}

/// Returns "12.3 ms → 13.1 ms" and, below it, the relative difference of the measurement from the prediction. The error
/// is a share of `base`; if `base` is 0, a dash replaces the error.
QString compared(const QString& predicted, const QString& measured, double error, double base) {
    const QString values = predicted + QStringLiteral(" \u2192 ") + measured;
    return values + u'\n' + (base > 0 ? signed_percent(error / base) : QStringLiteral("\u2013"));
}

QString not_yet(const QString& predicted) { return predicted + QStringLiteral(" \u2192 \u2026\n"); }

}  // namespace

RunTable::RunTable(model::GraphDocument& document, client::Client* client, model::PlanningService& planning,
                   QWidget* parent)
    : QWidget(parent),
      document_(document),
      client_(client),
      prediction_(planning, client::default_data_folder(), this),
      title_(new QLabel(this)),
      table_(new QTableWidget(0, column_count, this)) {
    title_->setObjectName(QStringLiteral("runTitle"));
    title_->setWordWrap(true);
    title_->setContentsMargins(0, 2, 0, 2);  // space for scripts with taller lines
    table_->setObjectName(QStringLiteral("runTable"));
    table_->setMinimumHeight(least_table_height);
    make_plain(*table_);
    // aligns titles with the figures
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(title_);
    column->addWidget(table_, 1);
    connect(&prediction_, &model::RunPrediction::changed, this, &RunTable::refresh);
    if (client_) connect(client_, &client::Client::dataChanged, this, &RunTable::refresh);
    if (client_) connect(client_, &client::Client::statusChanged, this, &RunTable::refresh);
    retranslate();
}

void RunTable::show_task(const TaskId& task) {
    if (task_ != task) prediction_.clear();
    task_ = task;
    refresh();
}

/// Requests the prediction of the current plan, with its actual placement.
void RunTable::ask(const control::TaskView& task) {
    if (task.generation == 0) return;  // the task has no plan yet
    model::RunPlan plan{task.text, task.folder, task.cuts, model::stage_nodes(client_->data().state, task.id)};
    if (!prediction_.is_of(plan))
        prediction_.ask(std::move(plan), document_.model(), submit::nodes_and_links(client_->data().state));
}

void RunTable::refresh() {
    if (!isVisible()) return;
    const auto& tasks = client_ ? client_->data().state.tasks : std::map<TaskId, control::TaskView>();
    const auto found = tasks.find(task_);
    table_->setVisible(false);
    if (found == tasks.end())
        return title_->setText(tr("A task's plan appears here, predicted and measured.") + u' ' +
                               (tasks.empty() ? client::how_to_begin(client_) : tr("Choose the task in Tasks.")));
    ask(found->second);
    const QString name = QString::fromStdString(task_.value());
    if (!prediction_.problem().isEmpty())
        return title_->setText(tr("No prediction for %1: %2").arg(name, prediction_.problem()));
    if (!prediction_.prediction()) return title_->setText(tr("Predicting the plan of %1...").arg(name));
    table_->setVisible(true);
    fill(found->second, *prediction_.prediction());
}

/// Returns the comparison of the run with its prices, as rich text to append to the title; empty if there is none.
QString RunTable::report(const control::TaskView& task, const price::Prediction& prediction, double step_ms) {
    const auto report = model::prediction_report(prediction, step_ms, client_->data().state);
    if (!report) return {};
    if (const auto now = std::tuple(task.id, task.generation, document_.model()); compared_ != now) {
        compared_ = now;
        on_screen_ = model::is_model_of(task, document_.model());
    }
    return QStringLiteral("<br>") + model::report_text(*report, on_screen_).toHtmlEscaped();
}

void RunTable::fill(const control::TaskView& task, const price::Prediction& prediction) {
    const double step_ms = model::median_step_ms(task);
    QString step = model::ms_text(prediction.step_ms) + QStringLiteral(" \u2192 ");
    if (step_ms > 0)
        step += model::ms_text(step_ms) + QStringLiteral(", ") + signed_percent(step_ms / prediction.step_ms - 1);
    else step += QStringLiteral("\u2026");
    title_->setText(tr("<b>%1</b> \u00b7 step, predicted \u2192 measured: <b>%2</b>")
                        .arg(QString::fromStdString(task.id.value()).toHtmlEscaped(), step) +
                    report(task, prediction, step_ms));
    const auto stages = static_cast<int>(prediction.stages.size());
    table_->setRowCount(stages);
    for (int stage = 0; stage < stages; ++stage) {
        const price::PredictedStage& predicted = prediction.stages[static_cast<std::size_t>(stage)];
        const model::StageLoad measured = model::stage_load(client_->data(), task, stage);
        const double wait_ms = predicted.bubble * prediction.step_ms;
        const double busy_seen = measured.busy_share * step_ms, wait_seen = measured.wait_share * step_ms;
        const bool timed = measured.samples > 0 && step_ms > 0;
        const auto bytes = [](Bytes expected, Bytes seen) {
            const QString text = model::bytes_text(expected);
            return seen > 0 ? compared(text, model::bytes_text(seen), static_cast<double>(seen - expected),
                                       static_cast<double>(expected))
                            : not_yet(text);
        };
        const auto times = [&](double expected, double seen, double base) {
            const QString text = model::ms_text(expected);
            return timed ? compared(text, model::ms_text(seen), seen - expected, base) : not_yet(text);
        };
        const QString cells[column_count] = {tr("Stage %1").arg(stage + 1),
                                             times(predicted.busy_ms, busy_seen, predicted.busy_ms),
                                             times(wait_ms, wait_seen, prediction.step_ms),
                                             predicted.sent() > 0 ? bytes(predicted.sent(), measured.sent) : QString(),
                                             bytes(predicted.memory, measured.memory)};
        for (int column = 0; column < column_count; ++column) {
            auto* item = new QTableWidgetItem(cells[column]);
            item->setData(Qt::UserRole, stage);
            item->setTextAlignment(Qt::AlignVCenter | (column == stage_column ? Qt::AlignLeft : Qt::AlignRight));
            table_->setItem(stage, column, item);
        }
    }
    table_->resizeRowsToContents();
}

void RunTable::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void RunTable::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void RunTable::retranslate() {
    table_->setHorizontalHeaderLabels({tr("Stage"), tr("Computes"), tr("Waits"), tr("Sends a step"), tr("Memory")});
    const auto explain = [this](Column column, const QString& text) {
        table_->horizontalHeaderItem(column)->setToolTip(text);
    };
    explain(busy_column, tr("Compute time in a step: predicted \u2192 measured, and the error"));
    explain(wait_column, tr("Waiting time in a step (bubble); the error is a share of the whole step"));
    explain(sent_column, tr("Bytes sent to other stages; measured values include evaluations"));
    explain(memory_column, tr("Parameters, gradients, optimizer state and activations at their peak"));
    table_->setAccessibleName(tr("Predicted and measured, stage by stage"));
    refresh();
}

}  // namespace divisi::panels

#include "moc_run_table.cpp"
