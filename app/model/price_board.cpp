// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/price_board.h"

#include <QPointer>
#include <thread>

#include "backend/control/planned_placement.h"

namespace divisi::model {

namespace {

/// This machine, until a cluster says what it has.
plan::NodePool this_machine() {
    const control::Device machine{"cpu", "cpu", static_cast<std::int32_t>(std::thread::hardware_concurrency())};
    return control::one_host({}, machine, [](const control::Device& device) {
        return std::make_shared<const plan::DeviceProfile>(plan::default_profile(device.name));
    });
}

}  // namespace

PriceBoard::PriceBoard(GraphDocument& document, TaskDraft& draft, QObject* parent)
    : QObject(parent),
      document_(document),
      draft_(draft),
      pool_(this_machine()),
      worker_(new QObject),
      pricer_(std::make_shared<Pricer>()) {
    later_.setSingleShot(true);
    later_.setInterval(0);
    connect(&later_, &QTimer::timeout, this, &PriceBoard::ask);
    const auto soon = [this] { later_.start(); };
    connect(&document_, &GraphDocument::cutsChanged, this, soon);
    connect(&document_, &GraphDocument::modelChanged, this, soon);
    connect(&draft_, &TaskDraft::specChanged, this, soon);
    connect(&draft_, &TaskDraft::stateChanged, this, soon);
    worker_->moveToThread(&thread_);
    connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
    thread_.start();
}

PriceBoard::~PriceBoard() {
    thread_.quit();
    thread_.wait();
}

void PriceBoard::set_pool(plan::NodePool pool) {
    pool_ = std::move(pool);
    ++cluster_;
    later_.start();
}

void PriceBoard::set_moving(int which) {
    if (which == moving_) return;
    moving_ = which;
    later_.start();
}

void PriceBoard::request_optimum() {
    optimum_wanted_ = true;
    later_.start();
}

void PriceBoard::ask() {
    asked_ = tickets_.issue();
    if (!document_.model()) {
        waiting_.reset();
        prices_.reset();
        answered_ = asked_;
        tickets_.accept(asked_);
        Q_EMIT pricesChanged();
        return;
    }
    PriceQuestion question;
    question.model = document_.model();
    question.spec = draft_.spec();
    question.cuts = document_.shown_cuts();
    question.painting = document_.shown_split().painting;
    question.moving = moving_ >= 0 ? moving_ : (question.cuts.empty() ? -1 : 0);
    question.optimum = optimum_wanted_ || !document_.previewing();
    question.pool = pool_;
    question.cluster = cluster_;
    waiting_ = std::move(question);
    if (!running_) start_next();
}

void PriceBoard::start_next() {
    if (!waiting_) return;
    running_ = true;
    QMetaObject::invokeMethod(
        worker_,
        [guard = QPointer<PriceBoard>(this), pricer = pricer_, ticket = asked_, question = std::move(*waiting_)] {
            const auto prices = std::make_shared<Prices>(pricer->answer(question));
            // The board waits for this thread before it goes; what is still posted to it then is dropped.
            if (PriceBoard* const board = guard)
                QMetaObject::invokeMethod(
                    board, [board, ticket, prices] { board->take(ticket, prices); }, Qt::QueuedConnection);
        },
        Qt::QueuedConnection);
    waiting_.reset();
}

void PriceBoard::take(std::uint64_t ticket, const std::shared_ptr<Prices>& prices) {
    running_ = false;
    if (tickets_.accept(ticket) && document_.model()) {
        answered_ = ticket;
        // While a cut is dragged the optimum of before still holds.
        if (!prices->optimum && prices_ && prices_->optimum && prices_->optimum->size() == prices->cuts.size() &&
            prices->ok()) {
            prices->optimum = prices_->optimum;
            prices->optimum_ms = prices_->optimum_ms;
        }
        prices_ = std::move(*prices);
        Q_EMIT pricesChanged();
        const bool found = optimum_wanted_ && answered_ == asked_ && prices_ && prices_->optimum;
        if (found || (prices_ && !prices_->ok())) optimum_wanted_ = false;
        if (found) Q_EMIT optimumFound(*prices_->optimum);
    }
    start_next();
}

}  // namespace divisi::model
