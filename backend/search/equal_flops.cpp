// SPDX-License-Identifier: Apache-2.0
#include "backend/search/equal_flops.h"

#include <algorithm>

#include "backend/search/error_texts.h"
#include "backend/search/layers.h"

namespace divisi::search {

Result<plan::CutChoice> equal_flops(const graph::Graph& graph, const graph::CutList& cuts, const graph::GraphCost& cost,
                                    std::int64_t stages) {
    const auto legal = static_cast<std::int64_t>(cuts.legal.size());
    if (stages < 1 || stages > std::min(legal + 1, plan::most_stages))
        return make_error(error_text("too-few-legal-cuts"), "stages",
                          {graph.name, std::to_string(stages), std::to_string(legal),
                           std::to_string(std::min(legal + 1, plan::most_stages))});
    SegmentationRequest request;
    request.stages = stages;
    DIVISI_ASSIGN(const Chain chain, rule_chain(graph, cuts, cost, request));
    DIVISI_ASSIGN(LayerPlan plan, plan_layers(chain, request, {}, equal_flops_slack));
    return std::move(plan.cuts);
}

}  // namespace divisi::search
