// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <utility>
#include <vector>

#include "app/model/loaded_model.h"
#include "app/model/operator_times.h"

namespace divisi::model {

/// What the blocks of the graph are coloured by.
enum class ColourBy : std::uint8_t {
    nothing,
    segment,  ///< that runs the operator
    time,     ///< predicted seconds of one micro-batch, forward and backward
    memory,   ///< bytes of weights, and of the activations of one micro-batch
    bytes,    ///< of the values that later blocks read: what would cross a cut behind the block
};

/// One figure of every block, and how they spread. In seconds or bytes.
struct BlockFigures {
    ColourBy by = ColourBy::nothing;
    std::vector<double> value;
    std::vector<bool> measured;    ///< at least `measured_enough` of the block's figure
    double least = 0, most = 0;    ///< ends of the scale; 0: no block has a figure
    bool some_unmeasured = false;  ///< of blocks that have a figure

    /// Where a block lies on the scale, from 0 to 1: logarithmic, as operators differ by orders of magnitude.
    double place(std::size_t block) const;
};

/// A block whose price is measured to this share counts as measured.
inline constexpr double measured_enough = 0.99;
/// The scale spans at most so many times its lower end: what costs less than a thousandth makes no difference.
inline constexpr double widest_scale = 1000;

/// Of operators first <= i <= last, both inclusive.
using BlockRange = std::pair<graph::NodeIndex, graph::NodeIndex>;

/// The figures of blocks. `times` is of the model, or null, which leaves times empty. Linear in the operators and edges
/// of the blocks. No value for ColourBy::nothing and segment.
BlockFigures block_figures(const LoadedModel& model, const std::vector<BlockRange>& blocks, ColourBy by,
                           const OperatorTimes* times);

/// "1.2 ms" or "3 MiB"; a time that was not measured begins with a sign that it is about that.
QString figure_text(ColourBy by, double value, bool measured = true);

}  // namespace divisi::model
