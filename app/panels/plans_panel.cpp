// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/plans_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>

#include "app/model/text.h"

namespace divisi::panels {

namespace {

/// Steps at the start of a run that do not count: files are read and caches filled.
constexpr std::size_t warm_up_steps = 2;
/// Newest steps that the measured step time is the median of.
constexpr std::size_t measured_steps = 50;

constexpr int last_column = 7;  ///< of the plans

void prepare(QTableWidget& table, const char* name) {
    table.setObjectName(QString::fromLatin1(name));
    table.verticalHeader()->hide();
    table.verticalHeader()->setDefaultSectionSize(28);
    table.setShowGrid(false);
    table.setAlternatingRowColors(true);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(QAbstractItemView::SingleSelection);
    table.setTabKeyNavigation(false);
    table.setWordWrap(false);
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table.horizontalHeader()->setStretchLastSection(true);
}

/// Figures to the right, but for the first column and what is named as text.
void fill(QTableWidget& table, int row, const QStringList& cells, int text_column = -1) {
    for (int column = 0; column < cells.size(); ++column) {
        auto* item = new QTableWidgetItem(cells[column]);
        const bool text = column == 0 || column == text_column;
        item->setTextAlignment(Qt::AlignVCenter | (text ? Qt::AlignLeft : Qt::AlignRight));
        item->setToolTip(cells[column]);
        table.setItem(row, column, item);
    }
}

double median_step_ms(const std::deque<control::StepRecord>& history) {
    std::vector<double> steps;
    const std::size_t first =
        std::max(warm_up_steps, history.size() > measured_steps ? history.size() - measured_steps : 0);
    for (std::size_t i = first; i < history.size(); ++i) steps.push_back(history[i].step_ms);
    if (steps.empty()) return 0;
    std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2), steps.end());
    return steps[steps.size() / 2];
}

/// Stages of a run: between its cuts or, where blocks were painted, those that instances were started for.
std::size_t stages_of(const control::ClusterState& state, const control::TaskView& task) {
    std::size_t stages = task.cuts.size() + 1;
    for (const auto& [id, instance] : state.instances)
        if (instance.task == task.id) stages = std::max(stages, static_cast<std::size_t>(instance.stage) + 1);
    return stages;
}

/// "+3.2 %": by how much the measurement is above the prediction.
QString error_text(double predicted, double measured) {
    if (predicted <= 0 || measured <= 0) return {};
    const double error = measured / predicted - 1;
    return (error >= 0 ? QStringLiteral("+") : QStringLiteral("\u2212")) + model::percent(std::abs(error));
}

}  // namespace

PlansPanel::PlansPanel(model::GraphDocument& document, model::PriceBoard& board, client::Client* client,
                       QWidget* parent)
    : QWidget(parent),
      document_(document),
      board_(board),
      client_(client),
      run_title_(new QLabel(this)),
      keep_(new QPushButton(this)),
      forget_(new QPushButton(this)),
      table_(new QTableWidget(0, last_column + 1, this)),
      run_table_(new QTableWidget(0, 4, this)) {
    setObjectName(QStringLiteral("plans"));
    prepare(*table_, "planTable");
    prepare(*run_table_, "runTable");
    keep_->setObjectName(QStringLiteral("keepPlan"));
    run_title_->setProperty("role", QStringLiteral("faint"));
    run_title_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    run_title_->setWordWrap(true);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addWidget(keep_);
    buttons->addWidget(forget_);
    buttons->addWidget(run_title_, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 8, 16, 8);
    column->addLayout(buttons);
    auto* tables = new QHBoxLayout;
    tables->setSpacing(16);
    tables->addWidget(table_, 5);
    tables->addWidget(run_table_, 3);
    column->addLayout(tables, 1);

    connect(keep_, &QPushButton::clicked, this, &PlansPanel::keep);
    connect(forget_, &QPushButton::clicked, this, [this] {
        kept_.clear();
        refresh();
    });
    connect(table_, &QTableWidget::cellDoubleClicked, this, [this](int at, int) { restore(at); });
    connect(table_, &QTableWidget::cellActivated, this, [this](int at, int) { restore(at); });
    connect(&board_, &model::PriceBoard::pricesChanged, this, &PlansPanel::refresh);
    if (client_) connect(client_, &client::Client::dataChanged, this, &PlansPanel::refresh_run);
    retranslate();
}

PlansPanel::Plan PlansPanel::plan_of(const model::Prices& prices) {
    Plan plan;
    plan.split = {prices.cuts, prices.painting};
    plan.stages = prices.prediction.stages.size();
    plan.step_ms = prices.prediction.step_ms;
    for (const plan::PredictedStage& stage : prices.prediction.stages) {
        plan.slowest_ms = std::max(plan.slowest_ms, stage.busy_ms);
        plan.bubble += stage.bubble / static_cast<double>(prices.prediction.stages.size());
        plan.memory = std::max(plan.memory, stage.memory.total());
        plan.sent += stage.sent;
    }
    return plan;
}

std::vector<PlansPanel::Plan> PlansPanel::plans() const {
    std::vector<Plan> shown;
    const auto& prices = board_.prices();
    if (prices && prices->ok()) {
        shown.push_back(plan_of(*prices));
        shown.back().name = tr("On screen");
    }
    shown.insert(shown.end(), kept_.begin(), kept_.end());
    return shown;
}

void PlansPanel::keep() {
    const auto& prices = board_.prices();
    if (!prices || !prices->ok()) return;
    Plan plan = plan_of(*prices);
    // A to Z, then numbers.
    const auto count = static_cast<int>(kept_.size());
    plan.name = count < 26 ? tr("Plan %1").arg(QChar(u'A' + count)) : tr("Plan %1").arg(count + 1);
    kept_.push_back(std::move(plan));
    refresh();
}

void PlansPanel::restore(int row) {
    const std::vector<Plan> shown = plans();
    if (row >= 0 && row < static_cast<int>(shown.size()))
        document_.set_split(shown[static_cast<std::size_t>(row)].split, tr("Restore plan"));
}

void PlansPanel::refresh() {
    if (document_.model() != model_) {
        model_ = document_.model();
        kept_.clear();
    }
    if (!isVisible()) return;
    const std::vector<Plan> shown = plans();
    keep_->setEnabled(!shown.empty());
    forget_->setEnabled(!kept_.empty());
    table_->setRowCount(static_cast<int>(shown.size()));
    for (int row = 0; row < table_->rowCount(); ++row) {
        const Plan& plan = shown[static_cast<std::size_t>(row)];
        QStringList cuts;
        if (plan.split.painting) cuts << tr("painted");
        for (const std::int32_t cut : plan.split.cuts)
            cuts << QString::fromStdString(document_.model()->graph.nodes[document_.position(cut)].name);
        const QString against = row == 0 ? QString() : error_text(shown.front().step_ms, plan.step_ms);
        fill(*table_, row,
             {plan.name, QString::number(plan.stages), model::ms_text(plan.step_ms), against,
              model::ms_text(plan.slowest_ms), model::percent(plan.bubble), model::bytes_text(plan.memory),
              model::bytes_text(plan.sent) + QStringLiteral("   ") + cuts.join(QStringLiteral(", "))},
             last_column);
    }
    refresh_run();
}

void PlansPanel::show_task(const TaskId& task) {
    task_ = task;
    run_.reset();
    if (const auto& prices = board_.prices(); prices && prices->ok()) run_ = prices;
    refresh_run();
}

void PlansPanel::refresh_run() {
    if (!isVisible()) return;
    const auto& tasks = client_ ? client_->data().state.tasks : std::map<TaskId, control::TaskView>();
    const auto found = tasks.find(task_);
    const bool same = found != tasks.end() && run_ && document_.model() &&
                      stages_of(client_->data().state, found->second) == run_->prediction.stages.size();
    run_table_->setRowCount(0);
    run_table_->setVisible(same);
    if (!same) return run_title_->setText(tr("Run a task to see its plan predicted and measured here."));
    const control::TaskView& task = found->second;
    const double measured_ms = median_step_ms(task.history);
    run_title_->setText(tr("Run %1: predicted and measured").arg(QString::fromStdString(task.id.value())));
    const auto stages = static_cast<int>(run_->prediction.stages.size());
    run_table_->setRowCount(stages + 1);
    fill(*run_table_, 0,
         {tr("Step"), model::ms_text(run_->prediction.step_ms),
          measured_ms > 0 ? model::ms_text(measured_ms) : QString(), error_text(run_->prediction.step_ms, measured_ms),
          QString()});
    for (int stage = 0; stage < stages; ++stage) {
        const plan::PredictedStage& predicted = run_->prediction.stages[static_cast<std::size_t>(stage)];
        double busy = 0;
        int samples = 0;
        for (const auto& [id, instance] : client_->data().state.instances) {
            const auto loads = client_->data().loads.find(id);
            if (instance.task != task_ || instance.stage != stage || loads == client_->data().loads.end()) continue;
            for (const client::LoadSample& sample : loads->second) {
                if (sample.load.step <= static_cast<std::int64_t>(warm_up_steps)) continue;
                busy += sample.load.busy_share;
                ++samples;
            }
        }
        const double busy_ms = samples > 0 ? busy / samples * measured_ms : 0;
        fill(*run_table_, stage + 1,
             {tr("Stage %1").arg(stage + 1), model::ms_text(predicted.busy_ms),
              busy_ms > 0 ? model::ms_text(busy_ms) : QString(), error_text(predicted.busy_ms, busy_ms)});
    }
}

void PlansPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void PlansPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void PlansPanel::retranslate() {
    keep_->setText(tr("Keep plan"));
    keep_->setToolTip(tr("Keep the plan on screen to compare others with it"));
    forget_->setText(tr("Forget"));
    forget_->setToolTip(tr("Forget the kept plans"));
    table_->setToolTip(tr("Double click a plan to bring its cuts back"));
    table_->setHorizontalHeaderLabels({tr("Plan"), tr("Stages"), tr("Step"), tr("Against it"), tr("Slowest"),
                                       tr("Idle"), tr("Memory"), tr("Sent a step, cuts after")});
    table_->setAccessibleName(tr("Plans side by side"));
    run_table_->setHorizontalHeaderLabels({QString(), tr("Predicted"), tr("Measured"), tr("Error")});
    run_table_->setAccessibleName(tr("Predicted and measured times of the run"));
    refresh();
}

}  // namespace divisi::panels
