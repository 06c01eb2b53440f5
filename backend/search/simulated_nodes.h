// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "backend/search/node_chain.h"

namespace divisi::search {

/// Returns whether the chain (priced_chain()) contains all costs of a plan: there are no data instances, and no gateway
/// or router takes cores from stages on its host.
bool chain_counts_all(const LayerTask& task);

/// Adds to the prices of connections the core time of gateways and routers that take cores from stages. `priced` must
/// have all legal cuts.
void charge_relays(PricedChain& priced, const LayerTask& task);

/// Returns the simulated step time of the cuts on these nodes. Data instances are placed as the orchestrator would
/// place them. Infinite if the arrangement is not allowed or does not fit into the memory.
double simulated_ms(const LayerTask& task, const plan::CutChoice& choice, const std::vector<std::int32_t>& nodes);

/// Returns the placement that is used to simulate these cuts.
price::Placement placement_of(const LayerTask& task, const std::vector<std::int32_t>& nodes);

/// Limit for the operators and passes that fastest_nodes() processes, each in about half a microsecond.
inline constexpr std::int64_t tried_nodes_work = 40'000;

struct FastestNodes {
    std::vector<std::int32_t> nodes;  ///< pool index of each stage's node
    bool all_tried = false;  ///< all arrangements were tried: none is faster by more than price::steady_difference
};

/// Returns the allowed nodes on which the simulated step of these cuts is fastest. `starts` are possible node lists of
/// the stages; each must contain a node as often as the result may use it. If `work` suffices, tries all arrangements
/// of the first start's nodes and the ready nodes. Otherwise tries the starts and improves the best one: it swaps the
/// nodes of two stages, or a used node with a free one, until no swap helps. Returns the first start if nothing is
/// faster by more than price::steady_difference, or if the task names the nodes of its stages.
FastestNodes fastest_nodes(const LayerTask& task, const plan::CutChoice& choice,
                           const std::vector<std::vector<std::int32_t>>& starts, std::int64_t work = tried_nodes_work);

}  // namespace divisi::search
