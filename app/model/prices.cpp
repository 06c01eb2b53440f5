// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/prices.h"

namespace divisi::model {

namespace {

/// Whether a cut can lie at a position without passing its neighbours.
bool is_free(const Cuts& cuts, int which, std::int32_t legal) {
    const auto at = static_cast<std::size_t>(which);
    return legal >= 0 && (at == 0 || cuts[at - 1] < legal) && (at + 1 == cuts.size() || legal < cuts[at + 1]);
}

/// What the closed form is off where the cut lies (it is a lower bound on a crowded host) it is taken to be off
/// everywhere, so that the curve leads through the simulated point.
void calibrate(price::Landscape& landscape, std::int32_t at, double simulated_s) {
    const double there_s = landscape.positions[static_cast<std::size_t>(at)].step_s;
    if (there_s <= 0) return;
    for (price::LandscapePosition& position : landscape.positions) position.step_s *= simulated_s / there_s;
}

}  // namespace

Result<void> Pricer::add_times(const PriceQuestion& question, Prices& prices) {
    const LoadedModel& model = *question.task.model;
    std::vector<std::int32_t> stage_of(static_cast<std::size_t>(model.node_count()), 0);
    std::size_t stage = 0;
    for (graph::NodeIndex node = 0; node < model.node_count(); ++node) {
        const auto at = static_cast<std::size_t>(node);
        if (question.painting) {
            stage_of[at] = prices.stage(static_cast<std::size_t>(question.painting->segment_of[at]));
            continue;
        }
        while (stage < question.cuts.size() && node > model.cuts.legal[static_cast<std::size_t>(question.cuts[stage])])
            ++stage;
        stage_of[at] = static_cast<std::int32_t>(stage);
    }
    DIVISI_ASSIGN(prices.times, operator_times(*kept_->pricing, stage_of, prices.placement, kept_->setup.forward_only));
    return {};
}

Result<void> Pricer::add_landscape(const PriceQuestion& question, Prices& prices) {
    DIVISI_ASSIGN(prices.landscape,
                  price::make_landscape(*kept_->pricing, {kept_->cuts, question.cuts, question.moving},
                                        prices.placement, kept_->setup, kept_->constraints));
    prices.moving = question.moving;
    calibrate(*prices.landscape, question.cuts[static_cast<std::size_t>(question.moving)],
              prices.prediction.step_ms / 1e3);
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(prices.landscape->positions.size()); ++i)
        prices.obstacles.push_back(QString::fromStdString(
            price::explain(*prices.landscape, i, kept_->graph, prices.placement, kept_->constraints)));
    if (!is_free(question.cuts, question.moving, question.probe)) return {};
    Cuts there = question.cuts;
    there[static_cast<std::size_t>(question.moving)] = question.probe;
    DIVISI_ASSIGN(const price::Prediction probed, kept_->predict(there, kept_->place(there)));
    prices.probe = question.probe;
    prices.probe_ms = probed.step_ms;
    return {};
}

Prices Pricer::answer(const PriceQuestion& question) {
    Prices prices;
    prices.model = question.task.model;
    prices.cuts = question.cuts;
    prices.painting = question.painting;
    const auto work = [&]() -> Result<void> {
        DIVISI_TRY(price_task(question.task, kept_));
        if (question.painting) {
            DIVISI_TRY(price_painting(question, *kept_->training, kept_->setup, prices));
            return add_times(question, prices);
        }
        prices.placement = kept_->place(question.cuts);
        DIVISI_ASSIGN(prices.prediction, kept_->predict(question.cuts, prices.placement));
        DIVISI_TRY(add_times(question, prices));
        const bool moves = question.moving >= 0 && question.moving < static_cast<int>(question.cuts.size());
        return moves ? add_landscape(question, prices) : Result<void>();
    };
    if (const auto done = work(); !done.ok()) prices.problem = QString::fromStdString(done.error().message());
    return prices;
}

}  // namespace divisi::model
