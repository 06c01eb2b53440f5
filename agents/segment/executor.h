// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/segment/stopwatch.h"
#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::segment {

/// How parameters move at the end of a step. Formulas: SGD with momentum as in PyTorch (no dampening,
/// no Nesterov); AdamW as in Loshchilov and Hutter, arXiv 1711.05101, bias-corrected.
struct OptimizerConfig {
    enum class Kind { sgd, adamw } kind = Kind::sgd;
    double momentum = 0.0;
    double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
    double weight_decay = 0.0;  ///< sgd: added to the gradient; adamw: decoupled
    double clip = 0.0;          ///< global gradient norm over all segments; 0: none
};

/// What one instance runs: a part of a graph on one device.
struct SegmentConfig {
    std::shared_ptr<const graph::Graph> graph;        ///< the training graph, loss included, canonical
    std::vector<graph::NodeIndex> nodes;              ///< this segment's nodes, ascending
    std::vector<graph::ValueIndex> inputs;            ///< values that arrive from data or other segments
    std::vector<graph::ValueIndex> outputs;           ///< values that leave, in the order of forward()'s result
    std::vector<graph::ValueIndex> input_gradients;   ///< inputs whose gradient is sent back
    std::vector<graph::ValueIndex> output_gradients;  ///< outputs (or relayed inputs) whose gradient arrives
    std::optional<graph::ValueIndex> loss;            ///< scalar, if it lies in this segment
    std::vector<graph::ValueIndex> observed;          ///< scalars whose mean over a step is kept besides the loss
    std::vector<graph::ValueIndex> metrics;           ///< values computed only in evaluation (accuracy, ...)
    std::int64_t microbatches = 1;
    std::uint64_t seed = 0;
    bool recompute = false;
    std::string device = "cpu";  ///< cpu, cuda, cuda:<n>
    int threads = 1;
    OptimizerConfig optimizer;
    Stopwatch* stopwatch = nullptr;  ///< takes the time of every operator while it runs; outlives the executor
    bool restored = false;           ///< restore() comes before all else: what it puts back is not drawn
};

/// Reads the initial bytes of an initializer that has neither data nor a random rule in the graph.
using WeightReader = std::function<Result<graph::HostTensor>(const graph::Initializer&)>;

/// A trainable weight's gradient by one of its uses, summed over this step's micro-batches in ascending
/// order. Uses are numbered over the whole graph by (consuming node, input slot), first use 0.
struct UseGradient {
    std::int32_t initializer = -1;
    std::int32_t use = 0;
    graph::HostTensor gradient;
};

/// One initializer's share of the squared gradient norm, computed in float64.
struct NormShare {
    std::int32_t initializer = -1;
    double squared = 0.0;
};

/// One tensor of what a segment remembers from step to step: an initializer's value (`slot` empty), or what the
/// optimizer keeps of it ("momentum", "first_moment", "second_moment").
struct StateTensor {
    std::int32_t initializer = -1;
    std::string slot;
    graph::HostTensor tensor;
};

/// Runs a segment forward and backward, holding only its own parameters and the activations of the
/// micro-batches in flight. Not thread-safe: one thread calls it. Every call returns `failed` with the
/// node's name when an operator throws, `exhausted` when memory runs out. Steps count from 1 as in plans, so that the
/// first one is AdamW's t = 1, and a smaller number is refused; micro-batches count from 0.
class Executor {
public:
    virtual ~Executor() = default;

    /// Forward of one micro-batch in training mode; `inputs` in the order of SegmentConfig::inputs.
    /// Returns the outputs (relayed inputs included); the loss, if here, is kept for step_loss().
    virtual Result<std::vector<graph::HostTensor>> forward(std::int64_t step, std::int64_t microbatch,
                                                           const std::vector<graph::HostTensor>& inputs) = 0;
    /// Backward of one micro-batch; `gradients` in the order of SegmentConfig::output_gradients, where an
    /// entry without data means "no gradient". Returns gradients in the order of input_gradients, empty
    /// entries likewise. Frees the micro-batch's activations. Micro-batches must come in ascending order.
    virtual Result<std::vector<graph::HostTensor>> backward(std::int64_t step, std::int64_t microbatch,
                                                            const std::vector<graph::HostTensor>& gradients) = 0;
    /// Forward in evaluation mode (no gradients, running statistics, no dropout): outputs, then loss if
    /// here (mean over the micro-batch), then metrics.
    virtual Result<std::vector<graph::HostTensor>> evaluate(const std::vector<graph::HostTensor>& inputs) = 0;

    /// Mean loss of the step's micro-batches so far, float32, folded in ascending order.
    virtual float step_loss() const = 0;
    /// The same for SegmentConfig::observed.
    virtual std::vector<float> step_means() const = 0;

    /// Gradients of the uses, in this segment, of the given shared weights (those whose initializer also
    /// lies in another segment), to be exchanged before finish_gradients().
    virtual Result<std::vector<UseGradient>> use_gradients(const std::vector<std::int32_t>& initializers) = 0;
    /// Folds all uses (own and `foreign`) last use first into one gradient per weight and returns each
    /// weight's share of the norm; a shared weight's share is returned by every holder, counted once.
    virtual Result<std::vector<NormShare>> finish_gradients(const std::vector<UseGradient>& foreign) = 0;
    /// Applies the optimizer with learning rate `lr`; `squared_norm` is the sum of all shares in the
    /// order of initializers, needed only when clipping. Clears the gradients and the loss.
    virtual Result<void> optimizer_step(std::int64_t step, double lr, std::optional<double> squared_norm) = 0;

    /// Between two steps, a copy of everything that later steps depend on: parameters, buffers, and what the optimizer
    /// has gathered by now (nothing before its first step). In the order of initializers, then of slots.
    virtual Result<std::vector<StateTensor>> state() const = 0;
    /// Puts back what state() gave, of this segment or of others that have its initializers between them; what is not
    /// this segment's is left out. Activations, gradients and loss of a step under way are dropped. `not_found` where
    /// a parameter or buffer of this segment is missing, `corrupt` where a tensor's type or shape is another, and then
    /// nothing is changed; what the optimizer keeps of a parameter and is missing begins anew.
    virtual Result<void> restore(const std::vector<StateTensor>& tensors) = 0;

    /// Current values: of a parameter or buffer (running statistics), for export and for tests.
    virtual Result<graph::HostTensor> read(std::int32_t initializer) const = 0;
    /// The first initializer with an element that is no number, of those that steps change.
    virtual std::optional<std::int32_t> nonfinite_weight() const = 0;
    /// Initializers that lie in this segment, ascending.
    virtual std::vector<std::int32_t> initializers() const = 0;

    /// Bytes now held: parameters, gradients, optimizer state, activations in flight.
    struct Memory {
        std::int64_t parameters = 0, gradients = 0, optimizer = 0, activations = 0;
    };
    virtual Memory memory() const = 0;
};

/// Prepares a segment: checks every operator (graph/operators.h, the list that import uses too), draws or reads the
/// weights, picks the device. Fails with `unsupported` naming the node, or `unavailable` for a device.
Result<std::unique_ptr<Executor>> make_executor(const SegmentConfig& config, const WeightReader& read_weight);

}  // namespace divisi::segment
