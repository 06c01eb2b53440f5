// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <memory>
#include <utility>

#include "backend/price/simulator.h"
#include "tests/bench/vtrain/rows.h"

namespace divisi::bench {

/// The fitted constants, in this order.
enum Constant : std::uint8_t {
    product_flops_per_s,
    memory_bytes_per_s,
    ring_bytes_per_s,
    ring_step_s,
    layer_issue_s,
    layer_device_s,
    logit_bytes,
    step_s,
    constant_count,
};

using Constants = std::array<double, constant_count>;

struct ConstantInfo {
    const char* name;
    const char* unit;
    double start;  ///< start of the fit: half of the data sheet's value, or a rough guess
    double most;   ///< the best value of an A100 (SXM, 80 GB) and upper bound of the fit; 0: unbounded
    const char* meaning;
};

inline constexpr std::array<ConstantInfo, constant_count> constant_infos{{
    {"product rate", "FLOP/s", 150e12, 312e12, "matrix products in float16, reached"},
    {"memory rate", "B/s", 1e12, 2.039e12, "all that is no product: dropout, softmax, norms, loss, optimizer"},
    {"ring rate", "B/s", 150e9, 300e9, "NVLink, one direction, in all-reduces and between stages"},
    {"ring step", "s", 10e-6, 0, "one message of an all-reduce or between stages, whatever its size"},
    {"layer issue", "s", 1e-3, 0, "the host issues a layer's forward kernels; twice that backward"},
    {"layer device", "s", 0.2e-3, 0, "starts and tails of a layer's forward kernels on the GPU; twice that backward"},
    {"logit traffic", "B", 50, 0, "read and written per logit by the loss, forward and backward"},
    {"step", "s", 1e-3, 0, "once a step: loop, loss scale, gradient norm"},
}};

/// Builds the simulator's plans from rows. Rows with the same stages and micro-batches share their programs.
class TrainingModel {
public:
    /// Returns the plan of Megatron-LM's training. Layers are spread evenly over the stages; the embedding is in the
    /// first stage and again, as the output layer, in the last. Uses 1F1B, mixed precision with Adam, and gradients
    /// clipped by their norm.
    price::SimulatedPlan plan(const Row& row, const Constants& constants);
    /// Returns the seconds of a steady step.
    Result<double> step_s(const Row& row, const Constants& constants);

private:
    const std::shared_ptr<const plan::Programs>& programs(std::int32_t stages, std::int32_t microbatches);

    std::map<std::pair<std::int32_t, std::int32_t>, std::shared_ptr<const plan::Programs>> programs_;
};

}  // namespace divisi::bench
