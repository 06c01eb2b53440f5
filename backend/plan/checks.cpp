// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/checks.h"

#include <algorithm>

namespace divisi::plan {

namespace {

std::string instance_name(std::int32_t instance) {
    return instance == data_unit ? "the data unit" : "stage " + std::to_string(instance);
}

}  // namespace

Result<void> check_partition(const graph::Graph& graph, const Partition& partition) {
    DIVISI_ASSIGN(const Partition derived, make_partition(graph, partition.segments));
    for (const Edge& edge : derived.edges) {
        if (std::find(partition.edges.begin(), partition.edges.end(), edge) != partition.edges.end()) continue;
        return Error{ErrorCode::invalid_input,
                     "value '" + graph.values[edge.value].name + "' has no edge from " + instance_name(edge.from) +
                         " to " + instance_name(edge.to),
                     "plan", "derive the edges with make_partition"};
    }
    if (derived.edges.size() != partition.edges.size())
        return Error{ErrorCode::invalid_input, "there are edges that no segment needs", "plan",
                     "derive the edges with make_partition"};
    return {};
}

Result<void> check_memory(const std::vector<StageMemory>& stages, const std::vector<StageCapacity>& capacities) {
    for (std::size_t i = 0; i < std::min(stages.size(), capacities.size()); ++i) {
        if (!capacities[i].memory || stages[i].total() <= *capacities[i].memory) continue;
        return Error{ErrorCode::exhausted,
                     "it needs about " + format_bytes(stages[i].total()) + " (" + format_bytes(stages[i].activations) +
                         " of activations), and " + capacities[i].device + " has " +
                         format_bytes(*capacities[i].memory),
                     "stage " + std::to_string(i),
                     "use more stages, more micro-batches, train.recompute = true, or another node"};
    }
    return {};
}

}  // namespace divisi::plan
