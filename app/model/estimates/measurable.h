// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <string>

#include "backend/control/state/state.h"
#include "backend/price/predict.h"

namespace divisi::model {

/// Minimum measured share of the prices at which no further measuring is needed.
inline constexpr double measured_well = 0.99;

/// The part of a plan's prices that this machine can measure.
struct Measurable {
    std::int32_t stage = -1;  ///< first unmeasured stage on a device like one of this machine; -1: none
    std::string device;       ///< that device, as this machine names it: "cpu", "cuda:0"
    QString obstacle;         ///< if there is no stage: why the rest cannot be measured here; empty if nothing is left

    bool possible() const { return stage >= 0; }
    bool operator==(const Measurable&) const = default;
};

/// Finds what can be measured. Skips stages that were measured and stages without work. A plan without nodes is for
/// this machine.
Measurable measurable(const price::Prediction& prediction, const control::ClusterState& cluster);

}  // namespace divisi::model
