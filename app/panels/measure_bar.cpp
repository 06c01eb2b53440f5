// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/measure_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "app/client/embedded_host.h"
#include "app/model/text.h"
#include "backend/process/gpus.h"
#include "backend/task/parse.h"

namespace divisi::panels {

namespace {

/// Prices that were measured to this share need no measuring.
constexpr double measured_well = 0.99;

/// The device of a node that a stage is planned on, as "mic-1/node-1 cuda:0" names it.
QString device_of(const price::PlannedDevice& planned) {
    const QString name = QString::fromStdString(planned.name);
    return name.contains(u' ') ? name.section(u' ', -1) : QStringLiteral("cpu");
}

}  // namespace

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
        problem_.clear();
        refresh();
    });
    connect(&prices_, &model::PriceBoard::pricesChanged, this, &MeasureBar::refresh);
    if (client_) connect(client_, &client::Client::dataChanged, this, &MeasureBar::refresh);
    for (const auto signal :
         {&client::Measurement::changed, &client::Measurement::cancelled, &client::Measurement::finished})
        connect(&measurement_, signal, this, &MeasureBar::refresh);
    connect(&measurement_, &client::Measurement::failed, this, [this](const QString& why) {
        problem_ = why;
        refresh();
    });
    retranslate();
}

std::optional<client::MeasurementWish> MeasureBar::wanted() const {
    const auto& prices = prices_.prices();
    if (!prices || !prices->ok() || prices->prediction.profiled_share >= measured_well) return {};
    for (const price::PlannedDevice& planned : prices->placement.stages) {
        const std::string device = device_of(planned).toStdString();
        bool like_ours = !client_ || client_->data().state.nodes.empty();  // the plan is for this machine
        if (!like_ours) {
            const auto node = client_->data().state.nodes.find(NodeId(planned.node));
            if (node == client_->data().state.nodes.end()) continue;
            const auto& devices = node->second.info.devices;
            const std::string ours = process::device_type(device);
            like_ours =
                std::ranges::any_of(devices, [&](const auto& one) { return one.name == device && one.type == ours; });
        }
        if (like_ours) return client::MeasurementWish{{}, device, std::max(1, static_cast<int>(planned.threads))};
    }
    return {};
}

bool MeasureBar::tasks_run() const {
    return client_ && !client_->status().replayed &&
           std::ranges::any_of(client_->data().state.tasks, [](const auto& task) { return task.second.runs(); });
}

void MeasureBar::start() {
    std::optional<client::MeasurementWish> wish = wanted();
    if (!wish) return;
    problem_.clear();
    task::TaskSpec spec = draft_.spec();
    if (!spec.model.onnx.empty()) spec.model.onnx = draft_.resolved(spec.model.onnx);
    wish->task = task::print_task(spec);
    measurement_.start(*wish);
}

void MeasureBar::refresh() {
    const bool running = measurement_.running(), busy = tasks_run();
    const auto& prices = prices_.prices();
    const bool dismissed = prices && dismissed_ && prices->model == dismissed_;
    setVisible(running || !problem_.isEmpty() || (!dismissed && wanted().has_value()));
    if (running) {
        message_->setText(tr("Measuring the operators on this machine: %1 done. What is measured is kept.")
                              .arg(model::count_text(measurement_.measured())));
    } else if (!problem_.isEmpty()) {
        message_->setText(tr("The operators were not measured. %1").arg(problem_));
    } else {
        message_->setText(
            tr("Prices are estimates from FLOPs and bytes. Measuring each kind of operator once on this "
               "machine makes them true, for any cut."));
    }
    measure_->setVisible(!running);
    measure_->setEnabled(!busy);
    measure_->setToolTip(busy ? tr("A task is running: it would be slower, and so would what is measured")
                              : tr("Takes seconds to minutes; the same as 'divisictl profile'"));
    cancel_->setVisible(running);
    close_->setVisible(!running);
}

void MeasureBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QFrame::changeEvent(event);
}

void MeasureBar::retranslate() {
    measure_->setText(tr("Measure"));
    cancel_->setText(tr("Cancel"));
    close_->setToolTip(tr("Do not offer it for this model"));
    close_->setAccessibleName(close_->toolTip());
    refresh();
}

}  // namespace divisi::panels
