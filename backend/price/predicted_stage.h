// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/base/units.h"

namespace divisi::price {

/// The work of one stage in a step and its memory. Library calls, messages and screens share this struct.
struct PredictedStage {
    std::string device;             ///< "mic-1/node-2 cpu"
    Flops flops = 0;                ///< forward and backward passes of all micro-batches
    double flops_share = 0;         ///< its share of the FLOPs of all stages
    double work_ms = 0;             ///< time of its operators for one micro-batch, if nothing else runs on the host
    double profiled_share = 0;      ///< measured share of `work_ms`; the rest is computed from the device's rates
    double busy_ms = 0;             ///< computing time in one step
    double bubble = 0;              ///< share of the step in which the stage does not compute
    Bytes sent_forward = 0;         ///< values sent to other stages in one step
    Bytes sent_backward = 0;        ///< gradients of values sent in one step
    Bytes sent_shared = 0;          ///< gradients of shared weights and shares of the norm, sent in one step
    Bytes memory = 0;               ///< estimated peak
    std::optional<Bytes> capacity;  ///< memory of its device; empty: not known

    Bytes sent() const { return sent_forward + sent_backward + sent_shared; }
    bool fits() const { return !capacity || memory <= *capacity; }
};

/// The work of the data instances of a plan; `devices` is empty if the plan has none. The work is never measured: see
/// data_seconds().
struct PredictedData {
    std::vector<std::string> devices;  ///< device of each instance, in the order in which micro-batches are assigned
    double microbatch_ms = 0;          ///< time of the slowest instance to make one micro-batch for one stage
    double busy_ms = 0;                ///< time that the busiest instance works in one step
    double bubble = 0;                 ///< share of the step in which the busiest instance is idle
    Bytes sent = 0;                    ///< sent by all instances to all stages in one step
    Bytes memory = 0;  ///< largest instance: the micro-batch being made, and micro-batches for which stages have slots
};

}  // namespace divisi::price
