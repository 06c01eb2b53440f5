// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/plan/partition.h"
#include "backend/plan/schedule.h"

namespace divisi::plan {

/// Carries tensors from one instance to another, in one direction. Its position in Programs::channels is its
/// number everywhere: in programs, in events and on the wire.
struct Channel {
    enum class Kind : std::uint8_t {
        value,          ///< a value of the graph: activations, or inputs and targets from the data unit
        gradient,       ///< the gradient of a value, from a later segment to an earlier one
        use_gradients,  ///< gradients of the uses of shared weights, once a step
        norm_shares,    ///< shares of the squared gradient norm, once a step, when clipping
    };
    Kind kind = Kind::value;
    graph::ValueIndex value = graph::no_value;  ///< of value and gradient
    std::int32_t from = data_unit;              ///< segment, or data_unit
    std::int32_t to = 0;
    std::int32_t slots = 1;  ///< whole tensors that the consumer holds, on their way included
};

enum class OperationKind : std::uint8_t {
    load,              ///< data unit: read the samples of a micro-batch
    preprocess,        ///< data unit: make the graph's inputs of them
    forward,           ///< Executor::forward
    backward,          ///< Executor::backward
    share_gradients,   ///< Executor::use_gradients, sent to the other holders
    finish_gradients,  ///< Executor::finish_gradients with what they sent
    optimizer,         ///< Executor::optimizer_step
    evaluate,          ///< Executor::evaluate
};
const char* to_string(OperationKind kind);

/// One operation of a program. It starts when every input has arrived and every output has a free slot at
/// its consumer; both are positions in Programs::channels, in the order of SegmentFlow's values.
struct Operation {
    OperationKind kind = OperationKind::forward;
    /// Micro-batch within the step. Numbers from RunLength::microbatches on are micro-batches of the
    /// evaluation that follows the step. 0 for operations of a whole step.
    std::int32_t microbatch = 0;
    std::vector<std::int32_t> inputs;
    std::vector<std::int32_t> outputs;
};

/// What one instance does, without any central step: every step its training operations in order, and
/// after the steps that are evaluated, its evaluation operations once per evaluation micro-batch.
struct Program {
    std::int32_t instance = data_unit;  ///< segment, or data_unit
    std::vector<Operation> training;
    std::vector<Operation> evaluation;  ///< microbatch is filled in by the interpreter
};

/// Which values enter and leave a segment: what agents/segment's SegmentConfig asks for. The i-th input
/// travels on the i-th input channel of the forward operation, and so on for the other three.
struct SegmentFlow {
    std::vector<graph::ValueIndex> inputs;            ///< forward inputs
    std::vector<graph::ValueIndex> outputs;           ///< forward outputs, relayed inputs included
    std::vector<graph::ValueIndex> output_gradients;  ///< backward inputs
    std::vector<graph::ValueIndex> input_gradients;   ///< backward outputs
    std::vector<std::int32_t> shared_weights;         ///< initializers, ascending, that other segments use too
};

/// How long a run is. Steps are numbered from 1.
struct RunLength {
    std::int64_t first_step = 1;
    std::int64_t last_step = 1;
    std::int32_t microbatches = 1;
    std::int64_t eval_every = 0;         ///< evaluate after step s when s is a multiple; 0: never
    std::int32_t eval_microbatches = 0;  ///< of one evaluation
    /// A batch: samples of a step, whose steps only go forward, over each sample of the data once, in order, as many as
    /// they fill. Whoever opens the data says how many samples there are when the run begins (Begin). 0: it trains.
    std::int64_t batch_samples = 0;
    /// An earlier run trained the step before the first. It may have ended before the evaluation after that step, so
    /// this one begins with it.
    bool resumed = false;

    bool over_data() const { return batch_samples > 0; }
    /// Of a batch; the last may be filled in part.
    std::int64_t steps_over(std::int64_t samples) const { return (samples + batch_samples - 1) / batch_samples; }
    bool evaluates_after(std::int64_t step) const {
        return eval_every > 0 && eval_microbatches > 0 && step % eval_every == 0;
    }
    bool evaluates_first() const { return resumed && evaluates_after(first_step - 1); }
};

/// Everything that the instances of one replica execute.
struct Programs {
    std::vector<Channel> channels;
    Program data;
    std::vector<Program> stages;
    std::vector<SegmentFlow> flows;  ///< per stage
    RunLength length;

    const Program& of(std::int32_t instance) const { return instance == data_unit ? data : stages[instance]; }
};

/// Slots of a channel between stages of these depths (the data unit is one deeper than the deepest): one per
/// stage on the longest way between them, since a pipeline at full speed has that many micro-batches under way
/// between its ends, and two more: one that is being consumed, one on the wire. Fewer cost speed, and under
/// 1F1B even deadlock where a value skips stages: its gradient must wait at an earlier stage that is still
/// running ahead (deadlock.h finds that before a plan is deployed).
std::int32_t slots_for(std::int32_t from_depth, std::int32_t to_depth);

/// Lays the passes of each stage and the data unit's work onto the channels of the partition. `clip`: the
/// optimizer needs the norm over all stages. `order` has one entry per segment.
/// `slots`: of every channel; 0: slots_for(). A batch (RunLength::over_data) takes nothing of `order`, and has channels
/// for values alone.
Programs make_programs(const Partition& partition, const PassOrder& order, const RunLength& length, bool clip,
                       std::int32_t slots = 0);

/// The same programs for a run that goes on after this step. `invalid_input` for a batch, and where no step is left.
Result<Programs> resumed_after(const Programs& programs, std::int64_t step);

}  // namespace divisi::plan
