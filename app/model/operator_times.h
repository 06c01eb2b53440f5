// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "app/model/loaded_model.h"
#include "backend/price/predict.h"

namespace divisi::model {

/// What each operator of the model is predicted to take, on the device of the stage that it is in.
struct OperatorTimes {
    std::vector<double> ms;      ///< of one micro-batch, all its directions, alone on its host; by operator
    std::vector<bool> measured;  ///< false: from its FLOPs and bytes over the device's rates; by operator

    bool operator==(const OperatorTimes&) const = default;
};

/// Of forward and both gradients, or of the forward pass alone. `stage_of`: the stage that each operator of the model
/// runs in, from 0; -1 for one that does not run. The loss counts with the operator whose output it reads, so that the
/// times of a stage's operators add up to price::PredictedStage::work_ms. O(nodes). Fails as price::Pricing::on() does.
Result<OperatorTimes> operator_times(price::Pricing& pricing, const std::vector<std::int32_t>& stage_of,
                                     const price::Placement& placement, bool forward_only);

}  // namespace divisi::model
