// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "app/model/documents/loaded_model.h"

namespace divisi::graphview {

/// The quantity that the widths of a score show.
enum class TimelineMeasure {
    time,    ///< predicted ms of one micro-batch, forward and backward
    flops,   ///< FLOPs of one training step
    bytes,   ///< bytes read and written by a training step
    memory,  ///< bytes held: parameters, plus activations of one micro-batch kept for the backward pass
};
constexpr int score_measures = 4;

/// Returns the name used in settings, such as "time". parse_measure() parses it; any unknown name means time.
QString id(TimelineMeasure measure);
TimelineMeasure parse_measure(const QString& id);
/// Returns the name in the program's language, such as "Predicted time of one micro-batch".
QString measure_name(TimelineMeasure measure);
/// Formats a price, such as "1.2 ms", "3 GFLOP" or "5 MiB".
QString measure_text(TimelineMeasure measure, double price);
/// Formats a price. A time gets the addition "a micro-batch", because it is shown next to figures of a whole step,
/// which has several micro-batches.
QString whole_text(TimelineMeasure measure, double price);

/// Returns a price in FLOPs or bytes for each operator. Times depend on the devices and are computed elsewhere: see
/// model::OperatorTimes.
std::vector<double> operator_prices(const model::LoadedModel& model, TimelineMeasure measure);

}  // namespace divisi::graphview
