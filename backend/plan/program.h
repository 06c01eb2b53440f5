// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/plan/partition.h"
#include "backend/plan/schedule.h"

namespace divisi::plan {

/// A one-way connection that carries tensors from one instance to another. Its number in programs, in events and on the
/// wire is its position in Programs::channels.
struct Channel {
    enum class Kind : std::uint8_t {
        value,          ///< a value of the graph: activations, or inputs and targets from the data unit
        gradient,       ///< the gradient of a value, from a later segment to an earlier one
        use_gradients,  ///< gradients of the uses of shared weights, once per step
        norm_shares,    ///< shares of the squared gradient norm, once per step, if clipping is on
    };
    Kind kind = Kind::value;
    graph::ValueIndex value = graph::no_value;  ///< set for the kinds value and gradient
    std::int32_t from = data_unit;              ///< segment, or data_unit
    std::int32_t to = 0;
    std::int32_t slots = 1;  ///< number of whole tensors that the consumer can hold, including tensors in transit
};

enum class OperationKind : std::uint8_t {
    load,              ///< data unit: read the samples of a micro-batch
    preprocess,        ///< data unit: turn the samples into the graph's inputs
    forward,           ///< Executor::forward
    backward,          ///< Executor::backward
    share_gradients,   ///< Executor::use_gradients, sent to the other holders of the weight
    finish_gradients,  ///< Executor::finish_gradients with the gradients of the other holders
    optimizer,         ///< Executor::optimizer_step
    evaluate,          ///< Executor::evaluate
};
const char* to_string(OperationKind kind);

/// One operation of a program. Starts when every input has arrived and every output has a free slot at its consumer.
/// Inputs and outputs are positions in Programs::channels, in the order of SegmentFlow's values.
struct Operation {
    OperationKind kind = OperationKind::forward;
    /// Micro-batch within the step. Numbers from RunLength::microbatches on belong to the evaluation after the step. 0
    /// for an operation that belongs to a whole step.
    std::int32_t microbatch = 0;
    std::vector<std::int32_t> inputs;
    std::vector<std::int32_t> outputs;
};

/// The work of one instance, without central coordination. Every step runs the training operations in order. After each
/// evaluated step, the evaluation operations run once per evaluation micro-batch.
struct Program {
    std::int32_t instance = data_unit;  ///< segment, or data_unit
    std::vector<Operation> training;
    std::vector<Operation> evaluation;  ///< the interpreter fills in the micro-batch
};

/// The values that enter and leave a segment, as agents/segment's SegmentConfig requires. The i-th input uses the i-th
/// input channel of the forward operation; outputs and gradients use their channels in the same way.
struct SegmentFlow {
    std::vector<graph::ValueIndex> inputs;            ///< forward inputs
    std::vector<graph::ValueIndex> outputs;           ///< forward outputs, including relayed inputs
    std::vector<graph::ValueIndex> output_gradients;  ///< backward inputs
    std::vector<graph::ValueIndex> input_gradients;   ///< backward outputs
    std::vector<std::int32_t> shared_weights;         ///< initializers also used by other segments, ascending
};

/// The length of a run. Steps are numbered from 1.
struct RunLength {
    std::int64_t first_step = 1;
    std::int64_t last_step = 1;
    std::int32_t microbatches = 1;
    std::int64_t eval_every = 0;         ///< evaluate after step s if s is a multiple of this; 0: never
    std::int32_t eval_microbatches = 0;  ///< number of micro-batches in one evaluation
    /// Batch tasks: samples per step. Steps run only forward passes and process each sample of the data once, in order;
    /// the number of steps follows from the data. The process that opens the data reports the number of samples when
    /// the run begins (Begin). 0: a training.
    std::int64_t batch_samples = 0;
    /// An earlier run trained the step before `first_step`. The evaluation after that step may not have run, so the
    /// resumed run begins with this evaluation.
    bool resumed = false;

    bool over_data() const { return batch_samples > 0; }
    /// Returns the number of steps of a batch task; the last step may be partly filled.
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
    std::vector<SegmentFlow> flows;  ///< one per stage
    RunLength length;

    const Program& of(std::int32_t instance) const { return instance == data_unit ? data : stages[instance]; }
};

/// Returns the number of slots of a channel between stages of these depths. The depth of the data unit is one more than
/// the depth of the deepest stage. A pipeline at full speed has one micro-batch in progress per stage on the longest
/// path between the two ends. Two more slots hold the tensor being consumed and the tensor in transit.
///
/// Fewer slots cost speed. Under 1F1B, a plan can even deadlock if a value skips stages. The gradient of the value must
/// wait at an earlier stage that still runs its warm-up forward passes. checks.h detects this before a plan is
/// deployed.
std::int32_t slots_for(std::int32_t from_depth, std::int32_t to_depth);

/// Builds the programs of all stages and of the data unit, and the channels between them. `clip`: the optimizer needs
/// the norm of the gradients of all stages. `order` has one entry per segment. `slots` applies to every channel; 0
/// means slots_for(). A batch task (RunLength::over_data) ignores `order` and has channels for values only.
Programs make_programs(const Partition& partition, const PassOrder& order, const RunLength& length, bool clip,
                       std::int32_t slots = 0);

/// Returns the same programs for a run that continues after this step. Fails (invalid_input) for a batch task, and if
/// no step remains.
Result<Programs> resumed_after(const Programs& programs, std::int64_t step);

}  // namespace divisi::plan
