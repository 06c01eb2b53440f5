// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/result.h"
#include "backend/base/units.h"
#include "backend/plan/program.h"
#include "backend/price/cost_model.h"

namespace divisi::price {

/// Limit on the steps that are simulated until two successive steps take the same time. The first step differs because
/// it has to fill the pipeline; the third rarely differs from the second.
inline constexpr std::int64_t most_simulated_steps = 6;

/// If two steps differ by no more than this share of a step, the pipeline is steady.
inline constexpr double steady_difference = 1e-3;

/// Seconds of the operations of one stage. `backward` includes recomputation.
struct StageSeconds {
    double forward = 0, backward = 0;  ///< for one micro-batch
    double share_gradients = 0, finish_gradients = 0, optimizer = 0;
    /// Seconds added to `forward` and `backward` while InstancePlace::crowded_cores cores compute.
    double crowded_forward = 0, crowded_backward = 0;
};

/// Seconds of the data unit's operations for one micro-batch.
struct DataSeconds {
    double load = 0, preprocess = 0;
};

/// The place where an instance runs.
struct InstancePlace {
    std::int32_t host = 0;  ///< index into SimulatedPlan::hosts
    double threads = 1;     ///< number of cores that it keeps busy while it computes
    /// number of computing cores at which StageSeconds::crowded_... is added in full; 0: never
    double crowded_cores = 0;
    std::int32_t mic = 0;  ///< see LinkEnd

    LinkEnd end() const { return {host, mic}; }
};

/// One of several instances that prepare micro-batches at the request of stages (DealtData).
struct DataInstance {
    InstancePlace place;
    DataSeconds seconds;  ///< time to make a micro-batch for one stage
};

/// A plan and the costs of its parts: everything that determines the step time.
struct SimulatedPlan {
    /// The length of the programs bounds the simulation: with fewer than three steps it may not become steady.
    /// Evaluations are omitted.
    std::shared_ptr<const plan::Programs> programs;
    std::vector<StageSeconds> seconds;        ///< per stage
    std::vector<InstancePlace> places;        ///< per stage
    std::vector<Bytes> tensor_bytes;          ///< per channel, one tensor
    DataSeconds data;                         ///< times of the data unit
    std::optional<InstancePlace> data_place;  ///< empty: the thread of stage 0 also runs the data unit
    /// Data instances. If there are any data instances, they replace the data unit, and `data` and `data_place` are
    /// ignored.
    std::vector<DataInstance> dealt = {};
    std::vector<HostModel> hosts;
    Links links;
};

/// One simulated operation with its times.
struct TimedOperation {
    std::int32_t instance = plan::data_unit;
    plan::OperationKind kind = plan::OperationKind::forward;
    std::int32_t microbatch = 0;
    std::int64_t step = 0;
    TimePoint begin{}, end{};
};

/// The work of an instance in the measured step, and its maximum load over all steps.
struct InstanceUse {
    double busy_s = 0;           ///< computing time in that step
    double bubble = 0;           ///< share of the step in which it did not compute, from 0 to 1
    std::int32_t in_flight = 0;  ///< number of micro-batches between their forward and their backward pass
    Bytes buffered = 0;          ///< tensors that have arrived and are waiting or in use
};

/// The traffic of a connection in all simulated steps. `from` and `to` are hosts, or stages if one host runs both; data
/// instances are numbered downwards from plan::data_unit. Paths that share their narrowest link are one connection,
/// with the ends of the first path.
struct LinkUse {
    std::int32_t from = 0, to = 0;
    bool within_host = false;
    std::int64_t tensors = 0;
    Bytes bytes = 0;
    double busy_s = 0;
    double queued_s = 0;         ///< total waiting time of tensors behind earlier tensors
    double longest_queue_s = 0;  ///< longest waiting time of one tensor
};

struct Simulation {
    double step_s = 0;  ///< time from the end of the previous step to the end of `measured_step`
    std::int64_t measured_step = 0;
    bool steady = false;  ///< the previous step took equally long
    std::vector<InstanceUse> stages;
    InstanceUse data;
    std::vector<InstanceUse> dealt;  ///< per data instance; only busy_s and bubble are set
    std::vector<LinkUse> links;      ///< used links between different instances
    /// operations in the order in which they ended, if requested; operations of data instances are not recorded
    std::vector<TimedOperation> operations;
};

struct SimulateOptions {
    bool record_operations = false;
};

/// Simulates the plan with the same interpreter that instances run, in virtual time (whole nanoseconds from 0).
/// Deterministic. The model is:
/// - Every instance is a thread that executes the operations of its interpreters; a stage takes precedence over the
///   data unit.
/// - Every connection is a queue. Slots are freed by messages that take the latency of the reverse direction but no
///   bandwidth.
/// - If a host has fewer cores than busy threads, its instances slow down in proportion. Forward and backward passes
///   also take longer the more other cores compute: the time grows linearly from the time alone to the crowded time.
/// - If no core is idle on a host with several instances, the sending and receiving threads take time from the
///   computing threads (LinkModel::message_s and serialize_s_per_byte, at both ends of a tensor). Gateways
///   and routers on the host do the same (MeshPath::relays).
/// - Data instances are threads as well. A stage's request also travels in the reverse direction. Each data instance
///   prepares one micro-batch at a time, beginning with its earliest order.
/// Fails (invalid_input) if sizes do not match the programs, a number is not a valid time, or the schedule deadlocks.
Result<Simulation> simulate(const SimulatedPlan& plan, const SimulateOptions& options = {});

}  // namespace divisi::price
