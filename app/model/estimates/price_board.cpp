// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/estimates/price_board.h"

#include <thread>

#include "backend/search/layers.h"
#include "backend/submit/node_pool.h"

namespace divisi::model {

namespace {

/// Returns this machine as the pool, until a cluster reports its nodes.
price::NodePool this_machine() {
    const control::Device machine{"cpu", "cpu", static_cast<std::int32_t>(std::thread::hardware_concurrency())};
    return submit::one_host({}, machine, [](const control::Device& device) {
        return std::make_shared<const price::DeviceProfile>(price::default_profile(device.name));
    });
}

}  // namespace

PriceBoard::PriceBoard(GraphDocument& document, TaskDraft& draft, PlanningService& planning, QObject* parent)
    : QObject(parent),
      document_(document),
      draft_(draft),
      pool_(this_machine()),
      quick_(planning, PlanningService::Priority::now),
      idle_(planning, PlanningService::Priority::idle),
      line_(planning, PlanningLine::Older::show) {
    later_.setSingleShot(true);
    later_.setInterval(0);
    connect(&later_, &QTimer::timeout, this, &PriceBoard::ask);
    const auto soon = [this] { later_.start(); };
    connect(&document_, &GraphDocument::cutsChanged, this, soon);
    connect(&document_, &GraphDocument::cutsChanged, this, [this] { end_wish(); });
    for (CutSearch* search : {&quick_, &idle_}) {
        connect(search, &CutSearch::answered, this, &PriceBoard::take_found);
        connect(search, &CutSearch::progressed, this, [this](int percent, const FoundCuts& so_far) {
            so_far_ = so_far;
            Q_EMIT pricesChanged();
            if (wish_ == searching_) Q_EMIT searching(percent);
        });
    }
    connect(&document_, &GraphDocument::modelChanged, this, [this] {
        prices_.reset();  // the cuts in these prices belong to another model
        probe_ = -1;
        later_.start();
    });
    connect(&draft_, &TaskDraft::specChanged, this, soon);
    connect(&draft_, &TaskDraft::stateChanged, this, soon);
}

void PriceBoard::set_pool(price::NodePool pool) {
    pool_ = std::move(pool);
    ++cluster_;
    later_.start();
}

void PriceBoard::set_moving(int which) {
    if (which == moving_) return;
    moving_ = which;
    later_.start();
}

void PriceBoard::ask() {
    forget_other_tasks();
    search();
    if (!document_.model()) {
        line_.cancel();
        prices_.reset();
        Q_EMIT pricesChanged();
        return;
    }
    PriceQuestion question;
    question.task = {document_.model(), draft_.spec(), pool_, cluster_};
    question.cuts = document_.shown_cuts();
    question.painting = document_.shown_split().painting;
    question.moving = moving_ >= 0 ? moving_ : (question.cuts.empty() ? -1 : 0);
    question.probe = probe_;
    line_.ask(
        [pricer = pricer_, question = std::move(question)](const JobContext&) { return pricer->answer(question); },
        [this, era = era_](Prices prices) { take(std::move(prices), era); });
}

void PriceBoard::take(Prices prices, std::uint64_t era) {
    if (!document_.model() || prices.model != document_.model()) return;
    prices_ = std::move(prices);
    priced_era_ = era;
    Q_EMIT pricesChanged();
}

search::SegmentationRequest PriceBoard::shown_request() const {
    return fastest_of(draft_.spec().split, static_cast<std::int32_t>(document_.shown_cuts().size()) + 1);
}

const Fastest* PriceBoard::known(const search::SegmentationRequest& request) const {
    for (const auto& [of, fastest] : known_)
        if (of == request) return &fastest;
    return nullptr;
}

std::optional<Fastest> PriceBoard::fastest(std::int32_t stages) const {
    if (!document_.model() || document_.model() != known_model_) return {};
    const search::SegmentationRequest request = fastest_of(draft_.spec().split, stages);
    if (const Fastest* there = known(request)) return there->step_ms > 0 ? std::optional(*there) : std::nullopt;
    if (searching_ == request && so_far_.step_ms > 0) return Fastest{so_far_.cuts, so_far_.step_ms};
    return {};
}

std::optional<Fastest> PriceBoard::fastest() const {
    return fastest(static_cast<std::int32_t>(document_.shown_cuts().size()) + 1);
}

std::optional<Fastest> PriceBoard::comparable() const {
    const std::size_t cuts = document_.shown_cuts().size();
    const bool same = prices_ && prices_->ok() && priced_era_ == era_ && !prices_->painting && cuts > 0 &&
                      prices_->cuts.size() == cuts;
    return same ? fastest() : std::nullopt;
}

QString PriceBoard::refusal(int cut, std::int32_t legal) const {
    const auto which = static_cast<std::size_t>(cut);
    const bool known = prices_ && prices_->landscape && prices_->model == document_.model() && prices_->moving == cut &&
                       prices_->cuts.size() == document_.cuts().size() && which < document_.cuts().size();
    if (!known || document_.shown_painting()) return {};
    const auto here = static_cast<std::size_t>(document_.cuts()[which]), there = static_cast<std::size_t>(legal);
    const auto& obstacles = prices_->obstacles;
    const bool fits_here = here < obstacles.size() && there < obstacles.size() && obstacles[here].isEmpty();
    return fits_here ? prices_->obstacle(legal) : QString();
}

void PriceBoard::set_probe(std::int32_t legal) {
    if (legal == probe_) return;
    probe_ = legal;
    if (legal >= 0) later_.start();
}

void PriceBoard::wish(search::SegmentationRequest request) {
    forget_other_tasks();
    wish_ = std::move(request);
    Q_EMIT searching(0);
    later_.start();
}

void PriceBoard::request_fastest(std::int32_t stages) { wish(fastest_of(draft_.spec().split, stages)); }

void PriceBoard::request_split() { wish(draft_.spec().split); }

void PriceBoard::end_wish() {
    if (!wish_) return;
    wish_.reset();
    Q_EMIT searchEnded();
}

void PriceBoard::cancel_search() {
    // Keep the best result of the search, so that the search is not repeated unless the user asks.
    if (searching_) known_.emplace_back(*searching_, Fastest{so_far_.cuts, so_far_.step_ms, false});
    end_search();
    end_wish();
    Q_EMIT pricesChanged();
}

void PriceBoard::end_search() {
    quick_.cancel();
    idle_.cancel();
    searching_.reset();
}

void PriceBoard::forget_other_tasks() {
    std::string task = cache_key(draft_.spec());
    const bool same = known_model_ == document_.model() && known_task_ == task;
    if (same && known_cluster_ == cluster_) return;
    if (!same) end_wish();
    known_model_ = document_.model();
    known_task_ = std::move(task);
    known_cluster_ = cluster_;
    known_.clear();
    ++era_;
    end_search();
}

void PriceBoard::search() {
    if (!document_.model() || (!wish_ && document_.shown_cuts().empty())) return;
    const search::SegmentationRequest wanted = wish_ ? *wish_ : shown_request();
    if (const Fastest* there = known(wanted)) {
        if (!wish_) return;
        if (there->complete && there->step_ms > 0) return deliver({there->cuts, there->step_ms, there->prediction});
        std::erase_if(known_, [&](const auto& one) { return one.first == wanted; });
    }
    if (searching_ == wanted && quickly_ >= wish_.has_value()) return;
    end_search();
    searching_ = wanted;
    quickly_ = wish_.has_value();
    so_far_ = {};
    (quickly_ ? quick_ : idle_).start({{document_.model(), draft_.spec(), pool_, cluster_}, wanted});
}

void PriceBoard::take_found(const FoundCuts& cuts) {
    known_.emplace_back(*searching_, Fastest{cuts.cuts, cuts.step_ms, true, cuts.prediction});
    const bool wanted = wish_ == searching_;
    searching_.reset();
    Q_EMIT pricesChanged();
    if (wanted) deliver(cuts);
}

void PriceBoard::deliver(FoundCuts cuts) {
    cuts.asked_by_task = wish_ == static_cast<const search::SegmentationRequest&>(draft_.spec().split);
    end_wish();
    if (cuts.ok()) Q_EMIT found(cuts);
    else Q_EMIT searchFailed(cuts.problem);
}

}  // namespace divisi::model

#include "moc_price_board.cpp"
