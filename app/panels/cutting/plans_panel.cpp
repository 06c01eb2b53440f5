// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/cutting/plans_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/model/wording/text.h"
#include "app/panels/tables/plain_table.h"
#include "app/panels/tables/text_table.h"

namespace divisi::panels {

namespace {

enum Column : int {
    name_column,
    stages_column,
    step_column,
    distance_column,
    against_column,
    slowest_column,
    idle_column,
    memory_column,
    sent_column,
    cuts_column,
    column_count
};

enum Page : int { compare_page, run_page };

/// Returns the relative difference of two step times, such as "+3.2 %"; "=" if they are equal in all shown digits.
RowCell longer_cell(double step_ms, double than_ms) {
    const double share = step_ms / than_ms - 1;
    if (std::abs(share) < 0.0005) return {QStringLiteral("="), 0.0};
    return {(share > 0 ? QStringLiteral("+") : QStringLiteral("\u2212")) + model::percent(std::abs(share)), share};
}

RowCell bytes_cell(Bytes bytes) { return {model::bytes_text(bytes), QVariant::fromValue<qlonglong>(bytes)}; }

bool is_text(int column) { return column == name_column || column == cuts_column; }

}  // namespace

PlansPanel::PlansPanel(model::GraphDocument& document, model::PriceBoard& board, client::Client* client,
                       model::PlanningService& planning, QWidget* parent)
    : QWidget(parent),
      document_(document),
      board_(board),
      pages_(new QTabBar(this)),
      keep_(new QPushButton(this)),
      forget_(new QPushButton(this)),
      table_(new QTableWidget(0, column_count, this)),
      restore_(new QAction(table_)),
      run_(new RunTable(document, client, planning, this)) {
    setObjectName(QStringLiteral("plans"));
    pages_->setObjectName(QStringLiteral("planPages"));
    pages_->setDrawBase(false);
    pages_->setExpanding(false);
    pages_->addTab({});
    pages_->addTab({});
    keep_->setObjectName(QStringLiteral("keepPlan"));
    table_->setObjectName(QStringLiteral("planTable"));
    table_->setMinimumHeight(56);  // height of the header and one row
    make_plain(*table_);
    table_->verticalHeader()->setDefaultSectionSize(28);
    table_->setWordWrap(false);
    table_->horizontalHeader()->setStretchLastSection(true);
    show_sorting(*table_);
    connect(restore_, &QAction::triggered, this, &PlansPanel::restore_chosen);
    restore_->setEnabled(false);
    connect(table_, &QTableWidget::itemSelectionChanged, this,
            [this] { restore_->setEnabled(!chosen_id(*table_).isEmpty()); });
    table_->addAction(restore_);
    for (QPushButton* button : {keep_, forget_}) offer_in_menu(*table_, *button);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(pages_);
    row->addStretch(1);
    row->addWidget(keep_);
    row->addWidget(forget_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 8, 16, 8);
    column->addLayout(row);
    stack_ = new QStackedLayout;
    stack_->addWidget(table_);
    stack_->addWidget(run_);
    column->addLayout(stack_, 1);

    connect(pages_, &QTabBar::currentChanged, this, &PlansPanel::show_page);
    connect(keep_, &QPushButton::clicked, this, &PlansPanel::keep);
    connect(forget_, &QPushButton::clicked, this, [this] {
        kept_.clear();
        refresh();
    });
    connect(table_, &QTableWidget::cellDoubleClicked, this, &PlansPanel::restore_chosen);
    connect(table_, &QTableWidget::cellActivated, this, &PlansPanel::restore_chosen);
    connect(table_->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, &PlansPanel::refresh);
    connect(&board_, &model::PriceBoard::pricesChanged, this, &PlansPanel::refresh);
    retranslate();
}

PlansPanel::Plan PlansPanel::plan_of(model::Split split, const price::Prediction& prediction) {
    Plan plan;
    plan.split = std::move(split);
    plan.stages = prediction.stages.size();
    plan.step_ms = prediction.step_ms;
    for (const price::PredictedStage& stage : prediction.stages) {
        plan.slowest_ms = std::max(plan.slowest_ms, stage.busy_ms);
        plan.bubble += stage.bubble / static_cast<double>(prediction.stages.size());
        plan.memory = std::max(plan.memory, stage.memory);
        plan.sent += stage.sent();
    }
    return plan;
}

std::vector<PlansPanel::Plan> PlansPanel::plans() const {
    std::vector<Plan> shown;
    const auto& prices = board_.prices();
    if (!prices || !prices->ok()) return kept_;
    shown.push_back(plan_of({prices->cuts, prices->painting}, prices->prediction));
    shown.back().id = QStringLiteral("screen");
    shown.back().name = tr("On screen");
    const auto fastest = board_.fastest(static_cast<std::int32_t>(prices->prediction.stages.size()));
    if (fastest && fastest->prediction && fastest->cuts != prices->cuts) {
        shown.push_back(plan_of({fastest->cuts, {}}, *fastest->prediction));
        shown.back().id = QStringLiteral("best");
        shown.back().name = tr("Best found");
    }
    shown.insert(shown.end(), kept_.begin(), kept_.end());
    return shown;
}

RowCell PlansPanel::distance_cell(const Plan& plan) const {
    if (plan.stages < 2) return {};
    const auto fastest = board_.fastest(static_cast<std::int32_t>(plan.stages));
    if (fastest) return longer_cell(plan.step_ms, fastest->step_ms);
    return {plan.split.painting ? QString() : QStringLiteral("\u2026")};  // no search for painted segments
}

/// Returns the table row of a plan. `first` is the plan with which it is compared.
TableRow PlansPanel::row_of(const Plan& plan, const Plan& first) const {
    QStringList cuts;
    if (plan.split.painting) cuts << tr("painted");
    for (const std::int32_t cut : plan.split.cuts)
        cuts << QString::fromStdString(document_.model()->graph.nodes[document_.position(cut)].name);
    return {plan.id,
            {{plan.name},
             {QString::number(plan.stages), QVariant::fromValue<qlonglong>(static_cast<qlonglong>(plan.stages))},
             {model::ms_text(plan.step_ms), plan.step_ms},
             distance_cell(plan),
             &plan == &first ? RowCell() : longer_cell(plan.step_ms, first.step_ms),
             {model::ms_text(plan.slowest_ms), plan.slowest_ms},
             {model::percent(plan.bubble), plan.bubble},
             bytes_cell(plan.memory),
             bytes_cell(plan.sent),
             {cuts.join(QStringLiteral(", "))}}};
}

void PlansPanel::keep() {
    const auto& prices = board_.prices();
    if (!prices || !prices->ok()) return;
    Plan plan = plan_of({prices->cuts, prices->painting}, prices->prediction);
    // Name the plans A to Z, then by number.
    const auto count = static_cast<int>(kept_.size());
    plan.id = QStringLiteral("kept %1").arg(count);
    plan.name = count < 26 ? tr("Plan %1").arg(QChar(u'A' + count)) : tr("Plan %1").arg(count + 1);
    kept_.push_back(std::move(plan));
    refresh();
}

void PlansPanel::restore_chosen() {
    const std::vector<Plan> shown = plans();
    const auto plan = std::ranges::find(shown, chosen_id(*table_), &Plan::id);
    if (plan != shown.end()) document_.set_split(plan->split, tr("Restore plan"));
}

void PlansPanel::refresh() {
    if (document_.model() != model_) {
        model_ = document_.model();
        kept_.clear();
    }
    if (!isVisible()) return;
    const std::vector<Plan> shown = plans();
    keep_->setEnabled(board_.prices() && board_.prices()->ok());
    forget_->setEnabled(!kept_.empty());
    std::vector<TableRow> rows;
    for (const Plan& plan : shown) rows.push_back(row_of(plan, shown.front()));
    show_rows(*table_, std::move(rows));
    for (int row = 0; row < table_->rowCount(); ++row) {
        for (int column = 0; column < column_count; ++column) {
            QTableWidgetItem& item = *table_->item(row, column);
            item.setTextAlignment(Qt::AlignVCenter | (is_text(column) ? Qt::AlignLeft : Qt::AlignRight));
            if (!is_text(column)) item.setToolTip({});  // show the table's tooltip
        }
    }
}

void PlansPanel::show_page(int page) {
    stack_->setCurrentIndex(page);
    keep_->setVisible(page == compare_page);
    forget_->setVisible(page == compare_page);
}

void PlansPanel::show_task(const TaskId& task) {
    run_->show_task(task);
    pages_->setCurrentIndex(run_page);
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
    pages_->setTabText(compare_page, tr("Compare"));
    pages_->setTabText(run_page, tr("Predicted and measured"));
    pages_->setAccessibleName(tr("Reference for the comparison"));
    restore_->setText(tr("Restore its cuts"));
    keep_->setText(tr("Keep plan"));
    keep_->setToolTip(tr("Keep the plan on screen to compare other plans with it"));
    forget_->setText(tr("Forget"));
    forget_->setToolTip(tr("Forget the kept plans"));
    table_->setToolTip(tr("Double click a plan to restore its cuts"));
    table_->setHorizontalHeaderLabels({tr("Plan"), tr("Stages"), tr("Step"), tr("To best"), tr("To screen"),
                                       tr("Slowest"), tr("Idle"), tr("Memory"), tr("Sent"), tr("Cuts after")});
    const auto explain = [this](Column column, const QString& text) {
        table_->horizontalHeaderItem(column)->setToolTip(text);
    };
    explain(distance_column, tr("Difference in step time to the fastest plan found with the same number of stages"));
    explain(against_column, tr("Difference in step time to the plan on screen"));
    explain(slowest_column, tr("Compute time of the slowest stage in one step"));
    explain(idle_column, tr("Average share of a step in which stages wait (bubble)"));
    explain(memory_column, tr("Highest memory of any stage"));
    explain(sent_column, tr("Sent between stages in a step"));
    table_->setAccessibleName(tr("Plans side by side"));
    refresh();
}

}  // namespace divisi::panels

#include "moc_plans_panel.cpp"
