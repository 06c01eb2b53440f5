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

/// Steps that a simulation plays at most while it looks for a steady one. The first differs by what a pipeline
/// has to fill once; the third rarely differs from the second.
inline constexpr std::int64_t most_simulated_steps = 6;

/// Two steps that differ by no more than this are steady.
inline constexpr double steady_difference = 1e-3;

/// Seconds of the operations of one stage; recomputation counts in `backward`.
struct StageSeconds {
    double forward = 0, backward = 0;  ///< of one micro-batch
    double share_gradients = 0, finish_gradients = 0, optimizer = 0;
    /// Added to forward and backward while all cores of InstancePlace::crowded_cores compute.
    double crowded_forward = 0, crowded_backward = 0;
};

/// Seconds of the data unit's operations, of one micro-batch.
struct DataSeconds {
    double load = 0, preprocess = 0;
};

/// Where an instance runs.
struct InstancePlace {
    std::int32_t host = 0;     ///< in SimulatedPlan::hosts
    double threads = 1;        ///< cores that it keeps busy while it computes
    double crowded_cores = 0;  ///< cores that compute when StageSeconds::crowded_... is added whole; 0: never
    std::int32_t mic = 0;      ///< as LinkEnd has it

    LinkEnd end() const { return {host, mic}; }
};

/// One of several instances that prepare micro-batches as stages ask for them (DealtData).
struct DataInstance {
    InstancePlace place;
    DataSeconds seconds;  ///< of what it makes for one stage
};

/// A plan and what its parts cost: all that decides how long a step takes.
struct SimulatedPlan {
    /// Their length bounds the simulation: with fewer than three steps it may not get steady. Evaluations are
    /// left out.
    std::shared_ptr<const plan::Programs> programs;
    std::vector<StageSeconds> seconds;        ///< per stage
    std::vector<InstancePlace> places;        ///< per stage
    std::vector<Bytes> tensor_bytes;          ///< per channel, one tensor
    DataSeconds data;                         ///< of the data unit
    std::optional<InstancePlace> data_place;  ///< empty: the thread of stage 0 runs the data unit as well
    /// Where there are any, they stand for the data unit: `data` and `data_place` count for nothing.
    std::vector<DataInstance> dealt = {};
    std::vector<HostModel> hosts;
    Links links;
};

/// One operation as it was played.
struct TimedOperation {
    std::int32_t instance = plan::data_unit;
    plan::OperationKind kind = plan::OperationKind::forward;
    std::int32_t microbatch = 0;
    std::int64_t step = 0;
    TimePoint begin{}, end{};
};

/// What an instance did in the step that was measured, and held at most in all steps.
struct InstanceUse {
    double busy_s = 0;           ///< computing in that step
    double bubble = 0;           ///< share of the step in which it did not compute, 0 to 1
    std::int32_t in_flight = 0;  ///< micro-batches between their forward and their backward
    Bytes buffered = 0;          ///< tensors that arrived and wait, or are in use
};

/// What went over a connection in all steps played. `from` and `to` are hosts, or stages where both run on one (data
/// instances count down from plan::data_unit). Several paths that share their narrowest link are one connection, with
/// the ends of the first.
struct LinkUse {
    std::int32_t from = 0, to = 0;
    bool within_host = false;
    std::int64_t tensors = 0;
    Bytes bytes = 0;
    double busy_s = 0;
    double queued_s = 0;         ///< sum over the tensors that waited for those before them
    double longest_queue_s = 0;  ///< of one tensor
};

struct Simulation {
    double step_s = 0;  ///< from the end of the step before `measured_step` to its end
    std::int64_t measured_step = 0;
    bool steady = false;  ///< the step before took as long
    std::vector<InstanceUse> stages;
    InstanceUse data;
    std::vector<InstanceUse> dealt;          ///< per data instance: its computing alone
    std::vector<LinkUse> links;              ///< those that were used, between different instances
    std::vector<TimedOperation> operations;  ///< when asked for, in the order in which they ended; of dealt data none
};

struct SimulateOptions {
    bool record_operations = false;
};

/// Plays the plan with the interpreter that instances run, in virtual time (whole nanoseconds from 0): every
/// instance a thread that executes what its interpreters start, stage before data unit; every connection a queue;
/// the instances of a host that has fewer cores than they have busy threads slow down in proportion, and its forward
/// and backward passes take the longer the more cores compute beside them (between alone and crowded in proportion).
/// Where no core of a host with several instances is idle, the threads that send and receive (LinkModel::message_s and
/// serialize_s_per_byte, at both ends of a tensor) take from those that compute, and so do gateways and routers that
/// run there (MeshPath::relays). Slots are freed by messages that take the latency of the way back and no bandwidth.
/// Data instances are threads too: what a stage asks for takes the way back as well, and each makes one micro-batch
/// after the other, the earliest of its orders first. Deterministic.
/// Fails (invalid_input) where sizes do not fit the programs or a number is no time, and when the schedule comes to a
/// standstill.
Result<Simulation> simulate(const SimulatedPlan& plan, const SimulateOptions& options = {});

}  // namespace divisi::price
