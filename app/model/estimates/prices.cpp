// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/estimates/prices.h"

#include <algorithm>

#include "app/client/refusal_text.h"

namespace divisi::model {

namespace {

/// Returns whether a cut can be at a position without passing its neighbours.
bool is_free(const Cuts& cuts, int which, std::int32_t legal) {
    const auto at = static_cast<std::size_t>(which);
    return legal >= 0 && (at == 0 || cuts[at - 1] < legal) && (at + 1 == cuts.size() || legal < cuts[at + 1]);
}

/// Scales the landscape so that the curve passes through the simulated point. The closed form of the landscape is a
/// lower bound on a crowded host. The relative error at the cut's position is assumed at all positions.
void calibrate(price::Landscape& landscape, std::int32_t at, double simulated_s) {
    const double there_s = landscape.positions[static_cast<std::size_t>(at)].step_s;
    if (there_s <= 0) return;
    for (price::LandscapePosition& position : landscape.positions) position.step_s *= simulated_s / there_s;
}

/// Returns the stage of each operator, from 0; -1 if it does not run.
std::vector<std::int32_t> stages_of(const PriceQuestion& question, const Prices& prices) {
    const LoadedModel& model = *question.task.model;
    std::vector<std::int32_t> stages;
    std::size_t stage = 0;
    for (graph::NodeIndex node = 0; node < model.node_count(); ++node) {
        if (question.painting) {
            const std::int32_t segment = question.painting->segment_of[static_cast<std::size_t>(node)];
            stages.push_back(prices.stage(static_cast<std::size_t>(segment)));
            continue;
        }
        while (stage < question.cuts.size() && node > model.cuts.legal[static_cast<std::size_t>(question.cuts[stage])])
            ++stage;
        stages.push_back(static_cast<std::int32_t>(stage));
    }
    return stages;
}

}  // namespace

QString Prices::obstacle(std::int32_t legal) const {
    return client::quoted(obstacles[static_cast<std::size_t>(legal)].toStdString());
}

/// Adds the operator times. If all stages have equal devices, the times do not depend on the cuts, so they are not
/// computed again during a drag. If a device has no price, there are no times; the prediction gives the reason.
void Pricer::add_times(const PriceQuestion& question, Prices& prices) {
    if (prices.placement.stages.empty()) return;
    Timed timed{kept_->model, kept_->task, {}, {}, {}};
    for (const price::PlannedDevice& device : prices.placement.stages) timed.devices.push_back(device.profile);
    const bool equal = std::ranges::adjacent_find(timed.devices, std::ranges::not_equal_to()) == timed.devices.end();
    if (equal) {
        timed.devices.resize(1);
    } else {
        timed.cuts = question.cuts;
        timed.painting = question.painting;
    }
    if (!times_ || timed != timed_) {
        auto times =
            operator_times(*kept_->pricing, stages_of(question, prices), prices.placement, kept_->setup.forward_only);
        if (!times.ok()) return;
        times_ = std::make_shared<const OperatorTimes>(*std::move(times));
        timed_ = std::move(timed);
    }
    prices.times = times_;
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
        if (question.painting) return price_painting(question, *kept_->training, kept_->setup, prices);
        prices.placement = kept_->place(question.cuts);
        DIVISI_ASSIGN(prices.prediction, kept_->predict(question.cuts, prices.placement));
        const bool moves = question.moving >= 0 && question.moving < static_cast<int>(question.cuts.size());
        return moves ? add_landscape(question, prices) : Result<void>();
    };
    if (const auto done = work(); !done.ok()) prices.problem = client::quoted(done.error());
    else add_times(question, prices);
    return prices;
}

}  // namespace divisi::model
