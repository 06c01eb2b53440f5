// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/cutting/measure_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "app/client/embedded_host.h"
#include "app/model/wording/text.h"
#include "backend/task/parse.h"

namespace divisi::panels {

MeasureBar::MeasureBar(model::TaskDraft& draft, model::PriceBoard& prices, client::Client* client,
                       std::filesystem::path program, QWidget* parent)
    : QFrame(parent),
      draft_(draft),
      prices_(prices),
      client_(client),
      measurement_(std::move(program), client::default_data_folder()),
      message_(new QLabel(this)),
      measure_(new QPushButton(this)),
      cancel_(new QPushButton(this)),
      close_(new QToolButton(this)) {
    setObjectName(QStringLiteral("measureBar"));
    message_->setObjectName(QStringLiteral("measureMessage"));
    message_->setWordWrap(true);
    message_->setTextFormat(Qt::PlainText);
    measure_->setObjectName(QStringLiteral("measureNow"));
    cancel_->setObjectName(QStringLiteral("measureCancel"));
    close_->setText(QStringLiteral("\u2715"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addWidget(message_);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addStretch(1);
    column->addLayout(row);
    row->addWidget(measure_);
    row->addWidget(cancel_);
    row->addWidget(close_);
    connect(measure_, &QPushButton::clicked, this, &MeasureBar::start);
    connect(cancel_, &QPushButton::clicked, &measurement_, &client::Measurement::cancel);
    connect(close_, &QToolButton::clicked, this, [this] {
        dismissed_ = prices_.prices() ? prices_.prices()->model : nullptr;
        ended_ = Ended::none;
        asked_ = false;
        refresh();
    });
    connect(&prices_, &model::PriceBoard::pricesChanged, this, &MeasureBar::refresh);
    if (client_) connect(client_, &client::Client::dataChanged, this, &MeasureBar::make_way);
    for (const auto signal :
         {&client::Measurement::changed, &client::Measurement::cancelled, &client::Measurement::finished})
        connect(&measurement_, signal, this, &MeasureBar::refresh);
    connect(&measurement_, &client::Measurement::failed, this, [this](const QString& why) {
        ended_ = Ended::failed;
        problem_ = why;
        refresh();
    });
    retranslate();
}

void MeasureBar::offer() {
    dismissed_ = nullptr;
    asked_ = true;
    refresh();
    const bool can = measure_->isVisibleTo(this) && measure_->isEnabled();
    (can ? static_cast<QWidget*>(measure_) : close_)->setFocus();
}

model::Measurable MeasureBar::wanted() const {
    static const control::ClusterState no_cluster;
    const auto& prices = prices_.prices();
    if (!prices || !prices->ok()) return {};
    return model::measurable(prices->prediction, client_ ? client_->data().state : no_cluster);
}

bool MeasureBar::tasks_run() const {
    return client_ && !client_->status().replayed &&
           std::ranges::any_of(client_->data().state.tasks, [](const auto& task) { return task.second.runs(); });
}

void MeasureBar::start() {
    const model::Measurable next = wanted();
    if (!next.possible() || tasks_run()) return;
    ended_ = Ended::none;
    const auto& stages = prices_.prices()->placement.stages;
    const auto at = static_cast<std::size_t>(next.stage);
    client::MeasurementWish wish;
    wish.device = next.device;
    if (at < stages.size()) wish.threads = std::max(1, static_cast<int>(stages[at].threads));
    task::TaskSpec spec = draft_.spec();
    if (!spec.model.onnx.empty()) spec.model.onnx = draft_.resolved(spec.model.onnx);
    wish.task = task::print_task(spec);
    measurement_.start(wish);
}

/// Cancels the measurement when a task starts, because the measured times would be wrong and the training slower.
void MeasureBar::make_way() {
    if (!measurement_.running() || !tasks_run()) return refresh();
    ended_ = Ended::by_task;
    measurement_.cancel();  // also updates the bar
}

QString MeasureBar::text(const model::Measurable& wanted) const {
    if (measurement_.running())
        return tr("Measuring the operators on this machine: %1 done. Results are kept.")
            .arg(model::count_text(measurement_.measured()));
    if (ended_ == Ended::failed) return tr("The operators were not measured. %1").arg(problem_);
    if (ended_ == Ended::by_task)
        return tr(
            "Measuring was ended because a task started, which would make the times wrong. Earlier results are kept. "
            "Measure again when the task has ended.");
    if (wanted.possible())
        return tr(
            "Prices are estimates from FLOPs and bytes. Measuring each kind of operator once on this machine makes "
            "them accurate for any cut.");
    if (!wanted.obstacle.isEmpty()) return wanted.obstacle;
    const auto& prices = prices_.prices();
    if (prices && !prices->ok()) return tr("There are no prices to measure: %1").arg(prices->problem);
    return prices ? tr("All operators of this plan were measured.") : QString();
}

void MeasureBar::refresh() {
    const auto& prices = prices_.prices();
    if (const model::ModelPtr model = prices ? prices->model : nullptr; model_ != model) {
        model_ = model;
        asked_ = false;
        if (!measurement_.running()) ended_ = Ended::none;
    }
    const model::Measurable next = wanted();
    const bool running = measurement_.running(), busy = tasks_run();
    const bool dismissed = prices && dismissed_ && prices->model == dismissed_;
    const bool telling = next.possible() || !next.obstacle.isEmpty();
    message_->setText(text(next));
    measure_->setVisible(!running && next.possible());
    measure_->setEnabled(!busy);
    measure_->setToolTip(busy ? tr("A task is running: measuring would slow it, and the results would be wrong")
                              : tr("Takes seconds to minutes"));
    cancel_->setVisible(running);
    close_->setVisible(!running);
    setVisible(running || asked_ || ended_ != Ended::none || (telling && !dismissed));
}

void MeasureBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QFrame::changeEvent(event);
}

void MeasureBar::retranslate() {
    measure_->setText(tr("Measure"));
    cancel_->setText(tr("Cancel"));
    close_->setToolTip(tr("Do not offer this for the current model"));
    close_->setAccessibleName(close_->toolTip());
    refresh();
}

}  // namespace divisi::panels

#include "moc_measure_bar.cpp"
