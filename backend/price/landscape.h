// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/cuts.h"
#include "backend/plan/cut_choice.h"
#include "backend/price/cut_series.h"
#include "backend/price/node_pool.h"
#include "backend/price/predict.h"

namespace divisi::price {

/// The reason why a cut cannot be placed at a position.
enum class Obstacle : std::uint8_t {
    none,
    order,      ///< the position is not between the neighbouring cuts
    pinned,     ///< a pinned operator would be in a stage on another node, or in a stage that must be on another node
    sensitive,  ///< a sensitive operator would be in a stage on a node that is not secure
    memory,     ///< a stage would not fit into its device's memory
};
const char* to_string(Obstacle obstacle);

struct LandscapePosition {
    double step_s = 0;  ///< approximate; 0 beyond a neighbouring cut
    Obstacle obstacle = Obstacle::none;
    std::int32_t stage = -1;                 ///< the stage that the obstacle concerns
    graph::NodeIndex node = graph::no_node;  ///< the pinned or sensitive operator
    /// index into CutConstraints::pins of the pin that puts the stage on another node. -1: CutConstraints::stages
    /// requires that node, or no node is suitable
    std::int32_t pin = -1;
    Bytes memory = 0;  ///< the memory that the stage would need
};

/// The predicted step time at every legal position of one cut while the other cuts stay in place. It is an
/// approximation:
/// - It is within 3 % of full simulation if stages do not share a host and each segment feeds the next.
///   Parallel branches are assumed to run one after another.
/// - On a host with fewer cores than stages, it is a lower bound that omits the work of messages on that host.
/// - If cores suffice, the mutual slowdown of stages is assumed to be spread evenly over the step.
/// - With data instances, or with gateways or routers that take cores from stages, simulate_positions() computes the
///   times.
struct Landscape {
    static constexpr bool approximate = true;
    std::int32_t moving = 0;                   ///< position of the moving cut in the choice
    std::vector<LandscapePosition> positions;  ///< one for each entry of CutList::legal

    /// Returns the index of the fastest position without an obstacle; -1 if there is none.
    std::int32_t best() const;
};

/// Computes the landscape of one cut. The passes of the schedule form a graph in which only the weights depend on the
/// position of the cut. The longest path is found for many positions at once in the (max, +) algebra (Baccelli et al.,
/// Synchronization and Linearity, 1992). The path covers occupied links, slots and the end of the step. If there are
/// more micro-batches than landscape_work allows, the step time is extrapolated.
///
/// Fails (invalid_input) as predict() does, for a choice that is not ascending, and for a moving cut that the choice
/// does not contain.
Result<Landscape> make_landscape(Pricing& pricing, const MovingCut& cut, const Placement& placement,
                                 const TrainingSetup& setup, const CutConstraints& constraints = {});

/// Explains why the cut cannot be placed at this position and what would help: "stage 2 would need 3.1 GiB and ...".
/// Empty if the cut can be placed at the position.
std::string explain(const Landscape& landscape, std::int32_t index, const graph::Graph& graph,
                    const Placement& placement, const CutConstraints& constraints = {});

/// Predicts a plan by cuts with full simulation, for the position under the cursor. `model` is the graph from which
/// `cuts` were computed.
Result<Prediction> predict_cuts(Pricing& pricing, const graph::Graph& model, const graph::CutList& cuts,
                                const plan::CutChoice& choice, const Placement& placement, const TrainingSetup& setup);

}  // namespace divisi::price
