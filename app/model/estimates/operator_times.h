// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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

}  // namespace divisi::model
