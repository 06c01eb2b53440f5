// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <utility>
#include <vector>

#include "app/model/documents/loaded_model.h"
#include "backend/price/predict.h"

namespace divisi::model {

/// The predicted time of each operator of the model, on the device of its stage.
struct OperatorTimes {
    /// by operator: ms of one micro-batch, over all predicted passes, as if no other instance used the same host
    std::vector<double> ms;
    std::vector<bool> measured;  ///< whether each operator was measured; false: its time is computed

    bool operator==(const OperatorTimes&) const = default;
};

/// Predicts the times of forward and both gradients, or of the forward pass alone. `stage_of` is the stage of each
/// operator, from 0; -1 if it does not run. The loss is added to the operator whose output it reads. The times of a
/// stage's operators thus add up to price::PredictedStage::work_ms. O(nodes). Fails as price::Pricing::on() does.
Result<OperatorTimes> operator_times(price::Pricing& pricing, const std::vector<std::int32_t>& stage_of,
                                     const price::Placement& placement, bool forward_only);

/// The figure that colours the blocks of the graph.
enum class ColourBy : std::uint8_t {
    nothing,
    segment,  ///< number of the segment that runs the operator
    time,     ///< predicted seconds of one micro-batch, forward and backward
    memory,   ///< bytes of weights, and of the activations of one micro-batch
    bytes,    ///< bytes of the block's values that later blocks read, or that are outputs of the model
};

/// The figures of all blocks, in seconds or bytes, and their range.
struct BlockFigures {
    ColourBy by = ColourBy::nothing;
    std::vector<double> value;
    std::vector<bool> measured;    ///< for each block, whether at least the share `measured_enough` of the figure was
                                   ///< measured
    double least = 0, most = 0;    ///< ends of the scale; 0: no block has a figure
    bool some_unmeasured = false;  ///< whether some blocks with a figure are not measured

    /// Returns the position of a block on the scale, from 0 to 1. The scale is logarithmic, because the figures of
    /// operators differ by orders of magnitude.
    double place(std::size_t block) const;
};

/// A block counts as measured if at least this share of its price was measured.
inline constexpr double measured_enough = 0.99;
/// Maximum ratio of the highest to the lowest value of the scale. Lower values count as the lowest, because costs below
/// a thousandth of the highest do not matter.
inline constexpr double widest_scale = 1000;

/// A range of operators first <= i <= last, both inclusive.
using BlockRange = std::pair<graph::NodeIndex, graph::NodeIndex>;

/// Returns the figures of blocks. `times` belongs to the model; if it is null, there are no times. Returns no values
/// for ColourBy::nothing and segment. Linear in the operators and edges of the blocks.
BlockFigures block_figures(const LoadedModel& model, const std::vector<BlockRange>& blocks, ColourBy by,
                           const OperatorTimes* times);

/// Formats a figure, such as "1.2 ms" or "3 MiB". An unmeasured time starts with a sign for approximation.
QString figure_text(ColourBy by, double value, bool measured = true);

}  // namespace divisi::model
