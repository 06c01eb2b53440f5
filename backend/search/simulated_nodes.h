// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "backend/search/node_chain.h"

namespace divisi::search {

/// Whether all that a plan costs is in its chain (priced_chain()): it has no data instances, and no gateway or router
/// takes cores from stages on its host.
bool chain_counts_all(const LayerTask& task);

/// Counts those gateways and routers as if they were connections. `priced` has all legal cuts.
void charge_relays(PricedChain& priced, const LayerTask& task);

/// The cuts as segments on these nodes, with data instances as the orchestrator would place them: the simulated step;
/// infinite where they are not allowed or do not fit.
double simulated_ms(const LayerTask& task, const plan::CutChoice& choice, const std::vector<std::int32_t>& nodes);

/// Where these cuts would be simulated.
price::Placement placement_of(const LayerTask& task, const std::vector<std::int32_t>& nodes);

/// Operators and passes that fastest_nodes() works off at most, each in about half a microsecond.
inline constexpr std::int64_t tried_nodes_work = 40'000;

struct FastestNodes {
    std::vector<std::int32_t> nodes;  ///< of the pool, by stage
    bool all_tried = false;           ///< no others are faster by more than the simulation calls steady
};

/// Nodes on which the step of these cuts is fastest, simulated, with what the constraints allow. `starts`: where the
/// stages could be, each with the nodes that it takes as often as it takes them. All arrangements of the first start's
/// nodes and the ready ones are tried where `work` is enough; else the starts and then, from the best, exchanges of two
/// stages and of a node with a free one until none gains. The first start where none is faster by more than the
/// simulation calls steady, and where the task gives its stages their nodes.
FastestNodes fastest_nodes(const LayerTask& task, const plan::CutChoice& choice,
                           const std::vector<std::vector<std::int32_t>>& starts, std::int64_t work = tried_nodes_work);

}  // namespace divisi::search
