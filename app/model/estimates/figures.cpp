// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/estimates/figures.h"

#include <algorithm>
#include <cmath>

#include "app/model/wording/text.h"

namespace divisi::model {
namespace {

/// Returns the bytes of a block's values that a later block reads or that are outputs of the model.
double bytes_out_of(const LoadedModel& model, const BlockRange& block) {
    double bytes = 0;
    for (graph::NodeIndex node = block.first; node <= block.second; ++node) {
        for (const graph::ValueIndex output : model.graph.nodes[node].outputs) {
            if (output == graph::no_value) continue;
            const graph::Value& value = model.graph.values[output];
            const bool leaves =
                value.consumers.empty() || std::any_of(value.consumers.begin(), value.consumers.end(),
                                                       [&](graph::NodeIndex reader) { return reader > block.second; });
            if (leaves) bytes += static_cast<double>(graph::size_bytes(value).value_or(0));
        }
    }
    return bytes;
}

double memory_of(const LoadedModel& model, const BlockRange& block) {
    const graph::NodeCost cost = model.cost.range(block.first, block.second + 1);
    return static_cast<double>(cost.parameter_bytes) + static_cast<double>(cost.activation_bytes);
}

/// Returns the total time in seconds, and the part of it that was measured.
std::pair<double, double> time_of(const OperatorTimes& times, const BlockRange& block) {
    double all = 0, measured = 0;
    for (auto node = static_cast<std::size_t>(block.first); node <= static_cast<std::size_t>(block.second); ++node) {
        all += times.ms[node];
        if (times.measured[node]) measured += times.ms[node];
    }
    return {all * 1e-3, measured * 1e-3};
}

void find_scale(BlockFigures& figures) {
    for (std::size_t i = 0; i < figures.value.size(); ++i) {
        const double value = figures.value[i];
        if (value <= 0) continue;
        figures.most = std::max(figures.most, value);
        figures.least = figures.least > 0 ? std::min(figures.least, value) : value;
        if (!figures.measured[i]) figures.some_unmeasured = true;
    }
    figures.least = std::max(figures.least, figures.most / widest_scale);
}

}  // namespace

double BlockFigures::place(std::size_t block) const {
    const double at = value[block];
    if (at <= 0 || most <= 0) return 0;
    if (most <= least) return 1;
    return std::clamp(std::log(at / least) / std::log(most / least), 0.0, 1.0);
}

BlockFigures block_figures(const LoadedModel& model, const std::vector<BlockRange>& blocks, ColourBy by,
                           const OperatorTimes* times) {
    BlockFigures figures;
    figures.by = by;
    const bool has_times = times && times->ms.size() == model.graph.nodes.size();
    if (by == ColourBy::nothing || by == ColourBy::segment || (by == ColourBy::time && !has_times)) return figures;
    for (const BlockRange& block : blocks) {
        double value = 0;
        bool measured = true;
        if (by == ColourBy::memory) value = memory_of(model, block);
        if (by == ColourBy::bytes) value = bytes_out_of(model, block);
        if (by == ColourBy::time) {
            const auto [all, known] = time_of(*times, block);
            value = all;
            measured = known >= measured_enough * all;
        }
        figures.value.push_back(value);
        figures.measured.push_back(measured);
    }
    find_scale(figures);
    return figures;
}

QString figure_text(ColourBy by, double value, bool measured) {
    if (by == ColourBy::time) return (measured ? QString() : QStringLiteral("\u2248 ")) + ms_text(value * 1e3);
    return bytes_text(static_cast<Bytes>(value));
}

Result<OperatorTimes> operator_times(price::Pricing& pricing, const std::vector<std::int32_t>& stage_of,
                                     const price::Placement& placement, bool forward_only) {
    std::vector<const price::PricedGraph*> stages;
    for (const price::PlannedDevice& device : placement.stages) {
        DIVISI_ASSIGN(const price::PricedGraph* priced, pricing.on(device.profile));
        stages.push_back(priced);
    }
    const plan::TrainingGraph& training = pricing.training();
    OperatorTimes times;
    times.ms.assign(stage_of.size(), 0);
    times.measured.assign(stage_of.size(), true);
    for (std::size_t node = 0; node < training.graph.nodes.size(); ++node) {
        std::size_t counts_with = node;
        if (node >= stage_of.size()) {
            const graph::NodeIndex anchor = training.anchors[node - static_cast<std::size_t>(training.model_nodes)];
            counts_with = anchor == graph::no_node ? stage_of.size() - 1 : static_cast<std::size_t>(anchor);
        }
        if (counts_with >= stage_of.size()) continue;
        const std::int32_t stage = stage_of[counts_with];
        if (stage < 0 || stage >= static_cast<std::int32_t>(stages.size())) continue;
        const price::OperatorPrice& price =
            stages[static_cast<std::size_t>(stage)]->node(static_cast<graph::NodeIndex>(node));
        const double backward = forward_only ? 0 : price.input_gradient + price.weight_gradient;
        times.ms[counts_with] += 1e3 * (price.forward + backward);
        if (price.source == price::PriceSource::rates) times.measured[counts_with] = false;
    }
    return times;
}

}  // namespace divisi::model
