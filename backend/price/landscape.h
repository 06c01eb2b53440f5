// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/cuts.h"
#include "backend/plan/cut_choice.h"
#include "backend/price/constraints.h"
#include "backend/price/cut_series.h"
#include "backend/price/predict.h"

namespace divisi::price {

/// Why a cut cannot lie at a position.
enum class Obstacle : std::uint8_t {
    none,
    order,      ///< not between the neighbouring cuts
    pinned,     ///< a pinned operator would come to a stage that is, or must be, on another node
    sensitive,  ///< a sensitive operator would come to a stage on a node that is not secure
    memory,     ///< a stage would not fit its device
};
const char* to_string(Obstacle obstacle);

struct LandscapePosition {
    double step_s = 0;  ///< approximate; 0 behind a neighbouring cut
    Obstacle obstacle = Obstacle::none;
    std::int32_t stage = -1;                 ///< that the obstacle concerns
    graph::NodeIndex node = graph::no_node;  ///< that is pinned or sensitive
    std::int32_t pin = -1;                   ///< of CutConstraints::pins: what else puts the stage on a node; -1: its
                                             ///< place in CutConstraints::stages, or that no node would do
    Bytes memory = 0;                        ///< that the stage would need
};

/// Predicted step time at every legal position of one cut while the others stay. An approximation: within 3 % of
/// full simulation where stages do not share a host and segments feed the next (branches beside each other are taken to
/// run one after another). On a host with fewer cores than stages it is a lower bound without the work that messages
/// make there; with enough, what stages take from each other is taken to be spread evenly over the step. With data
/// instances, and gateways or routers that take cores from stages, it is as simulate_positions() has it.
struct Landscape {
    static constexpr bool approximate = true;
    std::int32_t moving = 0;                   ///< the cut in hand, in the choice
    std::vector<LandscapePosition> positions;  ///< one per CutList::legal

    /// Index of the fastest position without an obstacle; -1 where there is none.
    std::int32_t best() const;
};

/// The landscape of one cut. The schedule's passes are a graph of which only the weights depend on the position:
/// its longest path is found for many positions at once, in the (max, +) algebra (Baccelli et al., Synchronization
/// and Linearity, 1992), with occupied links, slots, and the end of the step; what more micro-batches than
/// landscape_work allows would add is extrapolated. Fails (invalid_input) as predict() does, and for a choice
/// that is not ascending or a cut that it does not have.
Result<Landscape> make_landscape(Pricing& pricing, const MovingCut& cut, const Placement& placement,
                                 const TrainingSetup& setup, const CutConstraints& constraints = {});

/// Why the cut cannot lie there and what would mend it: "stage 2 would need 3.1 GiB and ..."; empty where it can.
std::string explain(const Landscape& landscape, std::int32_t index, const graph::Graph& graph,
                    const Placement& placement, const CutConstraints& constraints = {});

/// A plan by cuts, by full simulation: for the position under the cursor. `model` is what `cuts` were found in.
Result<Prediction> predict_cuts(Pricing& pricing, const graph::Graph& model, const graph::CutList& cuts,
                                const plan::CutChoice& choice, const Placement& placement, const TrainingSetup& setup);

}  // namespace divisi::price
