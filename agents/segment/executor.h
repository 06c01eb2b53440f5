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

/// Settings for the update of parameters at the end of a step. SGD with momentum is as in PyTorch (no dampening, no
/// Nesterov). AdamW is as in Loshchilov and Hutter, arXiv 1711.05101, bias-corrected.
struct OptimizerConfig {
    enum class Kind { sgd, adamw } kind = Kind::sgd;
    double momentum = 0.0;
    double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
    double weight_decay = 0.0;  ///< sgd: added to the gradient; adamw: decoupled
    double clip = 0.0;          ///< limit of the global gradient norm over all segments; 0: none
};

/// The part of a graph that one instance runs on one device.
struct SegmentConfig {
    std::shared_ptr<const graph::Graph> graph;        ///< the training graph in canonical order, including the loss
    std::vector<graph::NodeIndex> nodes;              ///< this segment's nodes, ascending
    std::vector<graph::ValueIndex> inputs;            ///< values that arrive from data or other segments
    std::vector<graph::ValueIndex> outputs;           ///< values sent away, in the order of forward()'s result
    std::vector<graph::ValueIndex> input_gradients;   ///< inputs whose gradients are sent back
    std::vector<graph::ValueIndex> output_gradients;  ///< outputs (or relayed inputs) whose gradients arrive
    std::optional<graph::ValueIndex> loss;            ///< the scalar loss, if this segment computes it
    std::vector<graph::ValueIndex> observed;          ///< other scalars than the loss whose mean over a step is
                                                      ///< computed
    std::vector<graph::ValueIndex> metrics;           ///< values computed only in evaluation (accuracy, ...)
    std::int64_t microbatches = 1;
    std::uint64_t seed = 0;
    bool recompute = false;
    std::string device = "cpu";  ///< device that runs the segment: cpu, cuda, cuda:<n>
    int threads = 1;
    OptimizerConfig optimizer;
    Stopwatch* stopwatch = nullptr;  ///< measures every operator while it runs; must outlive the executor
    bool restored = false;           ///< whether restore() is called before the first step, so that state need not be
                                     ///< initialised
};

/// Returns the initial value of an initializer that has neither data nor a random rule in the graph.
using WeightReader = std::function<Result<graph::HostTensor>(const graph::Initializer&)>;

/// The gradient of a trainable weight for one of its uses, summed over this step's micro-batches in ascending order.
/// Uses are numbered over the whole graph by (consuming node, input slot); the first use is 0.
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

/// One tensor of a segment's state between steps: the value of an initializer (`slot` empty) or the optimizer's state
/// for it ("momentum", "first_moment", "second_moment").
struct StateTensor {
    std::int32_t initializer = -1;
    std::string slot;
    graph::HostTensor tensor;
};

/// Runs a segment forward and backward. Holds only its own parameters and the activations of the micro-batches in
/// flight. Not thread-safe. Calls fail with `failed` and the node's name if an operator throws, with `exhausted` if
/// memory runs out.
///
/// Steps are counted from 1 as in plans, so that the first step is AdamW's t = 1; smaller numbers are refused.
/// Micro-batches count from 0.
class Executor {
public:
    virtual ~Executor() = default;

    /// Runs forward for one micro-batch in training mode. `inputs` are in the order of SegmentConfig::inputs. Returns
    /// the outputs, including relayed inputs. If the loss is in this segment, it is kept for step_loss().
    virtual Result<std::vector<graph::HostTensor>> forward(std::int64_t step, std::int64_t microbatch,
                                                           const std::vector<graph::HostTensor>& inputs) = 0;
    /// Runs backward for one micro-batch and frees its activations. `gradients` are in the order of
    /// SegmentConfig::output_gradients; an entry without data means "no gradient". Returns gradients in the order of
    /// input_gradients, where an entry may also be empty. Micro-batches must be passed in ascending order.
    virtual Result<std::vector<graph::HostTensor>> backward(std::int64_t step, std::int64_t microbatch,
                                                            const std::vector<graph::HostTensor>& gradients) = 0;
    /// Runs forward in evaluation mode (no gradients, running statistics, no dropout). Returns the outputs, then the
    /// loss if it is in this segment (mean over the micro-batch), then the metrics.
    virtual Result<std::vector<graph::HostTensor>> evaluate(const std::vector<graph::HostTensor>& inputs) = 0;

    /// Returns the mean loss of the step, in float32, added in ascending order; complete after the last micro-batch.
    virtual float step_loss() const = 0;
    /// Returns the means of SegmentConfig::observed.
    virtual std::vector<float> step_means() const = 0;

    /// Returns the gradients of the given shared weights for each use in this segment, to be exchanged before
    /// finish_gradients(). The initializer of a shared weight is also in another segment.
    virtual Result<std::vector<UseGradient>> use_gradients(const std::vector<std::int32_t>& initializers) = 0;
    /// Sums all uses (own and `foreign`) into one gradient per weight, from the last use to the first. Returns each
    /// weight's share of the norm; none without clipping. Every holder of a shared weight returns the weight's share;
    /// the caller must count this share only once.
    virtual Result<std::vector<NormShare>> finish_gradients(const std::vector<UseGradient>& foreign) = 0;
    /// Applies the optimizer with learning rate `lr`, and clears the gradients and the loss. `squared_norm` is the sum
    /// of all shares in the order of initializers; it is needed only for clipping.
    virtual Result<void> optimizer_step(std::int64_t step, double lr, std::optional<double> squared_norm) = 0;

    /// Returns a copy of all state that later steps depend on. Call this function between two steps. The state contains
    /// the parameters, buffers, and the optimizer's state (none before its first step). The order is by initializer,
    /// then by slot.
    virtual Result<std::vector<StateTensor>> state() const = 0;
    /// Restores the result of state(), from this segment or from other segments that together have its initializers;
    /// ignores tensors of other segments. Drops activations, gradients and loss of the current step.
    ///
    /// Fails with `not_found` if a parameter or buffer of this segment is missing, and with `corrupt` if a tensor has
    /// another type or shape. After such an error, the state is unchanged. If a parameter's optimizer state is missing,
    /// it starts as before the first step.
    virtual Result<void> restore(const std::vector<StateTensor>& tensors) = 0;

    /// Returns the current value of a parameter or buffer (running statistics), for export and for tests.
    virtual Result<graph::HostTensor> read(std::int32_t initializer) const = 0;
    /// Returns the first initializer with an element that is not a finite number; checks only initializers that steps
    /// change.
    virtual std::optional<std::int32_t> nonfinite_weight() const = 0;
    /// Returns the initializers in this segment, in ascending order.
    virtual std::vector<std::int32_t> initializers() const = 0;

    /// Bytes currently held: parameters, gradients, optimizer state, activations in flight.
    struct Memory {
        std::int64_t parameters = 0, gradients = 0, optimizer = 0, activations = 0;
    };
    virtual Memory memory() const = 0;
};

/// Prepares a segment: checks every operator (graph/operators.h, the list that import uses too), initialises or reads
/// the weights, and selects the device. Fails with `unsupported`, naming the node, or with `unavailable` for a device.
Result<std::unique_ptr<Executor>> make_executor(const SegmentConfig& config, const WeightReader& read_weight);

/// Triggers the initialisation that LibTorch performs at its first use of this device: tables of its libraries, its
/// threads and autograd's threads. Keeps no results. Fails as make_executor() does if the device cannot be used.
Result<void> warm_up(const std::string& device, int threads);

}  // namespace divisi::segment
