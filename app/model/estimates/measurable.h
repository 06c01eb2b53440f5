// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <string>

#include "backend/control/state/state.h"
#include "backend/price/predict.h"

namespace divisi::model {

/// Measured share of the prices from which no further measurement is needed.
inline constexpr double measured_well = 0.99;

/// The part of a plan's prices that this machine can measure.
struct Measurable {
    std::int32_t stage = -1;  ///< first unmeasured stage on a device that this machine also has; -1: none
    std::string device;       ///< name of that device on this machine, such as "cpu" or "cuda:0"
    QString obstacle;         ///< if there is no stage: why the rest cannot be measured here; empty if nothing is left

    bool possible() const { return stage >= 0; }
    bool operator==(const Measurable&) const = default;
};

/// Finds what can be measured. Skips stages that were measured and stages without work. A plan without nodes is for
/// this machine.
Measurable measurable(const price::Prediction& prediction, const control::ClusterState& cluster);

}  // namespace divisi::model
