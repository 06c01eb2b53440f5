// SPDX-License-Identifier: Apache-2.0
#include "backend/graph/dominance.h"

#include <algorithm>

namespace divisi::graph {

std::vector<NodeIndex> post_dominators(const Graph& graph, const std::vector<ValueIndex>& ends) {
    const auto exit = static_cast<NodeIndex>(graph.nodes.size());
    std::vector<NodeIndex> dominator(graph.nodes.size(), no_node);
    const auto common = [&](NodeIndex a, NodeIndex b) {
        while (a != b) (a < b ? a : b) = dominator[a < b ? a : b];  // ancestors have higher numbers
        return a;
    };
    for (NodeIndex node = exit - 1; node >= 0; --node) {
        NodeIndex nearest = no_node;
        const auto meet = [&](NodeIndex follower) {
            nearest = nearest == no_node ? follower : common(nearest, follower);
        };
        for (const ValueIndex output : graph.nodes[node].outputs) {
            if (output == no_value) continue;
            if (std::find(ends.begin(), ends.end(), output) != ends.end()) meet(exit);
            for (const NodeIndex consumer : graph.values[output].consumers)
                if (dominator[consumer] != no_node) meet(consumer);
        }
        dominator[node] = nearest;
    }
    return dominator;
}

}  // namespace divisi::graph
