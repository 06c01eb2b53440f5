// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/estimates/operator_times.h"

namespace divisi::model {

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
