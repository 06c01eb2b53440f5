// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "app/model/estimates/prices.h"
#include "backend/plan/gradient_order.h"
#include "backend/task/place_rules.h"
#include "backend/task/validate.h"

namespace divisi::model {

Result<void> price_painting(const PriceQuestion& question, const plan::TrainingGraph& training,
                            const price::TrainingSetup& setup, Prices& prices) {
    const LoadedModel& model = *question.task.model;
    const Painting& painting = *question.painting;
    if (const auto cycle = cycle_of(model, painting); !cycle.empty()) {
        prices.problem = cycle_summary(cycle);  // this text is already in the program's language
        return {};
    }
    task::TaskSpec spec = question.task.spec;
    spec.split.segments = listed(model, painting);
    DIVISI_ASSIGN(plan::Blocks blocks, task::choose_blocks(spec, training));

    // The task's list of segments leaves out segments without operators.
    const std::vector<std::int32_t> counts = operator_counts(model, painting);
    std::vector<std::size_t> number;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (counts[i] > 0) number.push_back(i);
    prices.stage_of.assign(counts.size(), -1);
    std::vector<std::string> nodes;
    for (std::size_t stage = 0; stage < blocks.given.size(); ++stage) {
        prices.stage_of[number[blocks.given[stage]]] = static_cast<std::int32_t>(stage);
        nodes.push_back(spec.split.segments[blocks.given[stage]].place);
    }

    price::NodePool pool = task::known_pool(spec, question.task.pool);
    std::optional<std::vector<std::string>> secure;
    if (pool.complete) secure = pool.secure_nodes();
    else pool.assign_names(nodes);
    plan::TrainingGraph relayed = training;
    DIVISI_ASSIGN(nodes, task::place_segments(spec, relayed, blocks.segments, std::move(nodes), secure));
    DIVISI_TRY(plan::keep_gradient_order(relayed, blocks.segments, true));
    DIVISI_ASSIGN(const plan::Partition partition, plan::make_partition(relayed.graph, std::move(blocks.segments)));
    const graph::GraphCost cost(relayed.graph);
    price::Pricing pricing(relayed, cost);
    const std::vector<std::int32_t> order = pool.order(static_cast<std::int32_t>(partition.segments.size()), nodes);
    prices.placement = pool.place(order);
    prices.placement.dealt = pool.place_data(order, static_cast<std::int32_t>(spec.data.instances));
    DIVISI_ASSIGN(prices.prediction, price::predict(pricing, partition, prices.placement, setup));
    return {};
}

}  // namespace divisi::model
