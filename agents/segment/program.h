// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "agents/segment/kernel.h"
#include "agents/segment/stopwatch.h"
#include "agents/segment/weights.h"

namespace divisi::segment {

/// A node with its kernel and its random key.
struct PreparedNode {
    graph::NodeIndex index = graph::no_node;
    const graph::Node* node = nullptr;
    Kernel kernel;
    std::uint64_t key = 0;
};

/// Thrown if a kernel throws; contains the node's name.
struct NodeFailure : std::runtime_error {
    NodeFailure(std::string name, const std::string& text, bool memory)
        : std::runtime_error(text), node(std::move(name)), out_of_memory(memory) {}
    std::string node;
    bool out_of_memory = false;
};

/// Converts the current exception to a sentence, without LibTorch's backtraces.
NodeFailure describe_current_exception(const std::string& node);

/// A linear list of kernels over numbered registers: exactly the kernels that a segment runs for given targets.
class Program {
public:
    /// Selects from `nodes` (ascending) the nodes that `targets` need. `inputs` are values passed to run(). Values in
    /// `constants` (value -> position in Weights::fixed()) are read, not computed.
    Program(const graph::Graph& graph, const std::vector<PreparedNode>& nodes,
            const std::vector<graph::ValueIndex>& inputs, const std::vector<graph::ValueIndex>& targets,
            const Weights& weights, const std::map<graph::ValueIndex, std::int32_t>& constants);

    /// Runs all nodes and returns the targets; releases intermediate values after their last use. `context.seed` is the
    /// key of the micro-batch. `produced`, if given, receives the storage of every node output. `stopwatch`, if given,
    /// measures the forward pass of every node, and later its backward pass, if one runs.
    Tensors run(RunContext context, const Tensors& inputs, Weights& weights,
                std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>>* produced = nullptr,
                Stopwatch* stopwatch = nullptr);

    bool empty() const { return steps_.empty(); }

private:
    struct Operand {
        enum class Kind : std::uint8_t { absent, in_register, fixed } kind = Kind::absent;
        bool last_use = false;
        bool shared = false;  ///< whether the value has other uses in the graph, in any segment
        std::int32_t index = -1;
    };
    struct Step {
        const PreparedNode* prepared = nullptr;
        bool densify = false;  ///< whether gradients of the inputs may have gaps
        std::vector<Operand> inputs;
        std::vector<std::int32_t> outputs;                  ///< register of each output; -1 if the output is not read
        std::int32_t mean_fixed = -1, variance_fixed = -1;  ///< batch normalization: destination of outputs 1 and 2
    };

    std::vector<Step> steps_;
    std::vector<std::int32_t> input_registers_;  ///< register of each input; -1 if the input is not read
    std::vector<Operand> targets_;
    std::vector<at::Tensor> registers_;
    Tensors arguments_;

    void mark_last_uses();
    void run_step(const Step& step, RunContext& context, Weights& weights,
                  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>>* produced, Stopwatch* stopwatch);
    void gather_arguments(const Step& step, const std::vector<at::Tensor>& fixed);
};

/// Runs the nodes that depend only on constants, once. Returns the positions of their values in Weights::fixed().
/// Leaves out nodes that use random numbers or keep statistics.
std::map<graph::ValueIndex, std::int32_t> fold_constants(const std::vector<PreparedNode>& nodes, Weights& weights,
                                                         at::Device device);

}  // namespace divisi::segment
