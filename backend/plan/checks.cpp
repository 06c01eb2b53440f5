// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/checks.h"

#include <algorithm>

#include "backend/plan/error_texts.h"

namespace divisi::plan {

Result<void> check_partition(const graph::Graph& graph, const Partition& partition) {
    DIVISI_ASSIGN(const Partition derived, make_partition(graph, partition.segments));
    for (const Edge& edge : derived.edges) {
        if (std::find(partition.edges.begin(), partition.edges.end(), edge) != partition.edges.end()) continue;
        return make_error(error_text("edge-missing"), "plan",
                          {graph.values[edge.value].name, instance_name(edge.from), instance_name(edge.to)});
    }
    if (derived.edges.size() != partition.edges.size()) return make_error(error_text("edge-not-needed"), "plan");
    return {};
}

Result<void> check_memory(const std::vector<StageMemory>& stages, const std::vector<StageCapacity>& capacities) {
    for (std::size_t i = 0; i < std::min(stages.size(), capacities.size()); ++i) {
        if (!capacities[i].memory || stages[i].total() <= *capacities[i].memory) continue;
        return make_error(error_text("stage-exceeds-memory"), "stage " + std::to_string(i),
                          {format_bytes(stages[i].total()), format_bytes(stages[i].activations), capacities[i].device,
                           format_bytes(*capacities[i].memory)});
    }
    return {};
}

}  // namespace divisi::plan
