// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "app/model/loaded_model.h"

namespace divisi::graphview {

/// What the widths of a score are.
enum class ScoreMeasure {
    time,    ///< predicted ms of one micro-batch, forward and backward
    flops,   ///< of one training step
    bytes,   ///< read and written by a training step
    memory,  ///< bytes held: parameters, and activations of one micro-batch kept for the backward pass
};
constexpr int score_measures = 4;

/// "time": what settings keep. parse_measure() reads it, and anything else as time.
QString id(ScoreMeasure measure);
ScoreMeasure parse_measure(const QString& id);
/// "Predicted time of one micro-batch", in the program's language.
QString measure_name(ScoreMeasure measure);
/// "1.2 ms", "3 GFLOP", "5 MiB".
QString measure_text(ScoreMeasure measure, double price);
/// "1.2 ms a micro-batch": beside figures of a whole step, which are of all micro-batches.
QString whole_text(ScoreMeasure measure, double price);

/// What each operator of the model is, in FLOPs or bytes. Times are no property of the model: see model::OperatorTimes.
std::vector<double> operator_prices(const model::LoadedModel& model, ScoreMeasure measure);

}  // namespace divisi::graphview
