// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/base/units.h"

namespace divisi::price {

/// What one stage does in a step, and what it holds: one struct for library calls, messages and screens.
struct PredictedStage {
    std::string device;             ///< "mic-1/node-2 cpu"
    Flops flops = 0;                ///< forward and backward of all micro-batches
    double flops_share = 0;         ///< of all stages together
    double work_ms = 0;             ///< of its operators in one micro-batch, alone on its host
    double profiled_share = 0;      ///< share of `work_ms` that was measured; the rest comes from the device's rates
    double busy_ms = 0;             ///< computing, in one step
    double bubble = 0;              ///< share of the step in which it does not compute
    Bytes sent_forward = 0;         ///< values to other stages, in one step
    Bytes sent_backward = 0;        ///< gradients of values, in one step
    Bytes sent_shared = 0;          ///< gradients of shared weights and shares of the norm, in one step
    Bytes memory = 0;               ///< estimate at its peak
    std::optional<Bytes> capacity;  ///< of its device; empty: not known

    Bytes sent() const { return sent_forward + sent_backward + sent_shared; }
    bool fits() const { return !capacity || memory <= *capacity; }
};

/// What the data instances of a plan do; no device where it has none. Their work is never measured: see data_seconds().
struct PredictedData {
    std::vector<std::string> devices;  ///< of each, in the order in which micro-batches are dealt
    double microbatch_ms = 0;          ///< that the slowest takes to make one micro-batch for one stage
    double busy_ms = 0;                ///< making them, in one step: of the busiest
    double bubble = 0;                 ///< share of the step in which that one makes none
    Bytes sent = 0;                    ///< of all together, to all stages, in one step
    Bytes memory = 0;                  ///< of one at most: what it makes, and what stages have slots for
};

}  // namespace divisi::price
