// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <string>

#include "backend/control/state/state.h"
#include "backend/price/predict.h"

namespace divisi::model {

/// Prices of which this share was measured need no measuring.
inline constexpr double measured_well = 0.99;

/// What of a plan's prices this machine can measure.
struct Measurable {
    std::int32_t stage = -1;  ///< the first that was not measured, on a device like one of this machine; -1: none
    std::string device;       ///< that device, as this machine names it: "cpu", "cuda:0"
    QString obstacle;         ///< with no stage: why the rest cannot be measured here; empty where nothing is left

    bool possible() const { return stage >= 0; }
    bool operator==(const Measurable&) const = default;
};

/// Stages that were measured, and those without work, are passed over. A plan without nodes is for this machine.
Measurable measurable(const price::Prediction& prediction, const control::ClusterState& cluster);

}  // namespace divisi::model
