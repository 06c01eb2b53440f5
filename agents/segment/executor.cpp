// SPDX-License-Identifier: Apache-2.0
#include "agents/segment/executor.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/isfinite.h>

#include <algorithm>
#include <deque>
#include <set>
#include <unordered_set>

#include "agents/segment/border.h"
#include "agents/segment/optimizer.h"
#include "agents/segment/program.h"
#include "agents/segment/tensors.h"
#include "agents/segment/weights.h"
#include "backend/base/hash.h"

namespace divisi::segment {

using graph::HostTensor;
using graph::ValueIndex;

namespace {

using StorageRefs = std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>>;

/// A micro-batch between its forward and its backward pass.
struct InFlight {
    std::int64_t step = 0;
    std::int64_t microbatch = 0;
    Tensors inputs;                            ///< input values; set only if activations are recomputed
    std::vector<NodePointer<Border>> borders;  ///< border nodes, in the order of input_gradients
    Tensors roots;                             ///< roots of the backward pass, in the order of output_gradients
    at::Tensor loss;
};

template <typename Work>
auto guarded(const std::string& where, Work&& work) -> decltype(work()) {
    try {
        return work();
    } catch (...) {
        const auto failure = describe_current_exception(where);
        if (failure.out_of_memory)
            return Error{ErrorCode::exhausted, failure.what(), failure.node,
                         "use smaller micro-batches, recompute, or cut the model into more segments"};
        return Error{ErrorCode::failed, failure.what(), failure.node, ""};
    }
}

std::int64_t bytes_of(const at::Tensor& tensor) {
    return tensor.defined() ? static_cast<std::int64_t>(tensor.nbytes()) : 0;
}

class SegmentExecutor final : public Executor {
public:
    SegmentExecutor(const SegmentConfig& config, at::Device device, Weights weights, std::vector<PreparedNode> nodes)
        : config_(config),
          device_(device),
          weights_(std::move(weights)),
          nodes_(std::move(nodes)),
          constants_(fold_constants(nodes_, weights_, device_)),
          training_(make_program(training_targets())),
          evaluation_(make_program(evaluation_targets())),
          optimizer_(config.optimizer),
          seed_gradient_(at::full({}, 1.0F / static_cast<float>(config.microbatches), device)) {
        for (const ValueIndex value : config_.input_gradients) border_positions_.push_back(position_of_input(value));
    }

    Result<std::vector<HostTensor>> forward(std::int64_t step, std::int64_t microbatch,
                                            const std::vector<HostTensor>& inputs) override;
    Result<std::vector<HostTensor>> backward(std::int64_t step, std::int64_t microbatch,
                                             const std::vector<HostTensor>& gradients) override;
    Result<std::vector<HostTensor>> evaluate(const std::vector<HostTensor>& inputs) override;
    float step_loss() const override { return loss_; }
    std::vector<float> step_means() const override { return means_; }
    Result<std::vector<UseGradient>> use_gradients(const std::vector<std::int32_t>& initializers) override;
    Result<std::vector<NormShare>> finish_gradients(const std::vector<UseGradient>& foreign) override;
    Result<void> optimizer_step(std::int64_t step, double lr, std::optional<double> squared_norm) override;
    Result<std::vector<StateTensor>> state() const override;
    Result<void> restore(const std::vector<StateTensor>& tensors) override;
    Result<HostTensor> read(std::int32_t initializer) const override;
    std::optional<std::int32_t> nonfinite_weight() const override;
    std::vector<std::int32_t> initializers() const override;
    Memory memory() const override;

private:
    SegmentConfig config_;
    at::Device device_;
    Weights weights_;
    std::vector<PreparedNode> nodes_;
    std::map<ValueIndex, std::int32_t> constants_;
    Program training_;
    Program evaluation_;
    Optimizer optimizer_;
    at::Tensor seed_gradient_;
    /// position of each border among the inputs, in the order of input_gradients
    std::vector<std::size_t> border_positions_;

    std::deque<InFlight> in_flight_;
    std::int64_t step_ = -1;
    std::int64_t next_forward_ = 0;
    std::int64_t next_backward_ = 0;
    float loss_ = 0.0F;
    std::vector<float> means_;  ///< mean of each value in config_.observed
    bool gradients_finished_ = false;
    std::optional<std::int64_t> activation_bytes_;  ///< bytes of one micro-batch, measured on the first one

    std::vector<ValueIndex> training_targets() const;
    std::vector<ValueIndex> evaluation_targets() const;
    Program make_program(const std::vector<ValueIndex>& targets) const {
        return Program(*config_.graph, nodes_, config_.inputs, targets, weights_, constants_);
    }
    std::size_t position_of_input(ValueIndex value) const;
    std::string where(const char* what) const;
    /// Returns the stopwatch; null if no times are measured.
    Stopwatch* stopwatch() const {
        return config_.stopwatch != nullptr && config_.stopwatch->running() ? config_.stopwatch : nullptr;
    }

    Result<Tensors> import_inputs(const std::vector<HostTensor>& inputs) const;
    Result<void> check_step(std::int64_t step, const char* what) const;
    Result<void> begin_forward(std::int64_t step, std::int64_t microbatch);
    Tensors run_training(InFlight& flight, Tensors inputs, bool update_statistics);
    void measure_activations(const StorageRefs& produced);
    std::vector<HostTensor> export_outputs(const Tensors& outputs, const std::vector<HostTensor>& inputs) const;
    void propagate(InFlight& flight, const std::vector<HostTensor>& gradients);
    std::vector<HostTensor> take_border_gradients(InFlight& flight) const;
    std::uint64_t microbatch_key(std::int64_t step, std::int64_t microbatch) const;
    void end_step();

    using GivenState = std::map<std::pair<std::int32_t, std::string>, const HostTensor*>;
    struct NextState {
        std::vector<std::pair<const Weight*, at::Tensor>> values;
        Optimizer::States kept;
    };
    std::string name_of(const Weight& weight) const;
    Result<at::Tensor> take_state(const GivenState& given, const Weight& weight, const std::string& slot) const;
    Result<NextState> next_state(const GivenState& given) const;
};

// Preparation ---------------------------------------------------------------------------------------

std::vector<ValueIndex> SegmentExecutor::training_targets() const {
    std::vector<ValueIndex> targets = config_.outputs;
    targets.insert(targets.end(), config_.output_gradients.begin(), config_.output_gradients.end());
    targets.insert(targets.end(), config_.observed.begin(), config_.observed.end());
    if (config_.loss) targets.push_back(*config_.loss);
    return targets;
}

std::vector<ValueIndex> SegmentExecutor::evaluation_targets() const {
    std::vector<ValueIndex> targets = config_.outputs;
    if (config_.loss) targets.push_back(*config_.loss);
    targets.insert(targets.end(), config_.metrics.begin(), config_.metrics.end());
    return targets;
}

std::size_t SegmentExecutor::position_of_input(ValueIndex value) const {
    const auto found = std::find(config_.inputs.begin(), config_.inputs.end(), value);
    if (found == config_.inputs.end())
        throw std::invalid_argument("'" + config_.graph->values[value].name +
                                    "' should send a gradient back, but is not an input of the segment");
    return static_cast<std::size_t>(found - config_.inputs.begin());
}

std::string SegmentExecutor::where(const char* what) const {
    if (nodes_.empty()) return what;
    const auto& first = nodes_.front().node->name;
    const auto& last = nodes_.back().node->name;
    return std::string(what) + " of " + (first == last ? first : first + " .. " + last);
}

// Forward -------------------------------------------------------------------------------------------

Result<Tensors> SegmentExecutor::import_inputs(const std::vector<HostTensor>& inputs) const {
    if (inputs.size() != config_.inputs.size())
        return Error{
            ErrorCode::invalid_input,
            std::to_string(inputs.size()) + " inputs where " + std::to_string(config_.inputs.size()) + " are needed",
            where("inputs"), ""};
    Tensors tensors;
    tensors.reserve(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto& name = config_.graph->values[config_.inputs[i]].name;
        DIVISI_TRY(guarded("input '" + name + "'", [&]() -> Result<void> {
            tensors.push_back(import_tensor(inputs[i], device_));
            return {};
        }));
    }
    return tensors;
}

Result<void> SegmentExecutor::check_step(std::int64_t step, const char* what) const {
    if (step >= 1) return {};
    return Error{ErrorCode::invalid_input, "step " + std::to_string(step), where(what), "steps count from 1"};
}

Result<void> SegmentExecutor::begin_forward(std::int64_t step, std::int64_t microbatch) {
    DIVISI_TRY(check_step(step, "forward"));
    if (microbatch == 0 && in_flight_.empty() && step != step_) {
        step_ = step;
        next_forward_ = next_backward_ = 0;
        loss_ = 0.0F;
        means_.assign(config_.observed.size(), 0.0F);
        gradients_finished_ = false;
    }
    if (step != step_ || microbatch != next_forward_ || microbatch >= config_.microbatches)
        return Error{ErrorCode::invalid_input,
                     "forward of step " + std::to_string(step) + ", micro-batch " + std::to_string(microbatch) +
                         " where step " + std::to_string(step_) + ", micro-batch " + std::to_string(next_forward_) +
                         " of " + std::to_string(config_.microbatches) + " is due",
                     where("forward"), "micro-batches come in ascending order"};
    ++next_forward_;
    return {};
}

std::uint64_t SegmentExecutor::microbatch_key(std::int64_t step, std::int64_t microbatch) const {
    return mix(mix(config_.seed, static_cast<std::uint64_t>(step)), static_cast<std::uint64_t>(microbatch));
}

Tensors SegmentExecutor::run_training(InFlight& flight, Tensors inputs, bool update_statistics) {
    const at::AutoGradMode record(true);
    flight.borders.clear();
    for (const std::size_t position : border_positions_) {
        auto border = make_border(inputs[position]);
        inputs[position] = std::move(border.tensor);
        flight.borders.push_back(std::move(border.border));
    }
    RunContext context{true, microbatch_key(flight.step, flight.microbatch), device_, update_statistics, true};
    StorageRefs produced;
    const bool measure = !activation_bytes_;
    auto results = training_.run(context, inputs, weights_, measure ? &produced : nullptr, stopwatch());

    const auto outputs_end = results.begin() + static_cast<std::ptrdiff_t>(config_.outputs.size());
    const auto roots_end = outputs_end + static_cast<std::ptrdiff_t>(config_.output_gradients.size());
    flight.roots.assign(outputs_end, roots_end);
    if (config_.loss) flight.loss = results.back();
    if (update_statistics)  // do not add the means again when recomputing
        for (std::size_t i = 0; i < means_.size(); ++i)
            means_[i] +=
                roots_end[static_cast<std::ptrdiff_t>(i)].item<float>() / static_cast<float>(config_.microbatches);
    results.erase(outputs_end, results.end());
    if (measure) measure_activations(produced);
    return results;
}

void SegmentExecutor::measure_activations(const StorageRefs& produced) {
    std::unordered_set<const c10::StorageImpl*> known;
    for (const auto& tensor : weights_.fixed()) known.insert(tensor.storage().unsafeGetStorageImpl());
    std::int64_t bytes = 0;
    for (const auto& reference : produced)
        if (const auto storage = reference.lock(); storage && known.insert(storage.get()).second)
            bytes += static_cast<std::int64_t>(storage->nbytes());
    activation_bytes_ = bytes;
}

std::vector<HostTensor> SegmentExecutor::export_outputs(const Tensors& outputs,
                                                        const std::vector<HostTensor>& inputs) const {
    std::vector<HostTensor> exported;
    exported.reserve(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const auto relayed = std::find(config_.inputs.begin(), config_.inputs.end(),
                                       i < config_.outputs.size() ? config_.outputs[i] : graph::no_value);
        if (relayed != config_.inputs.end())
            exported.push_back(inputs[static_cast<std::size_t>(relayed - config_.inputs.begin())]);
        else if (weights_.shares_parameter_memory(outputs[i])) exported.push_back(export_tensor(own_copy(outputs[i])));
        else exported.push_back(export_tensor(outputs[i]));
    }
    return exported;
}

Result<std::vector<HostTensor>> SegmentExecutor::forward(std::int64_t step, std::int64_t microbatch,
                                                         const std::vector<HostTensor>& inputs) {
    DIVISI_TRY(begin_forward(step, microbatch));
    DIVISI_ASSIGN(auto tensors, import_inputs(inputs));
    return guarded(where("forward"), [&]() -> Result<std::vector<HostTensor>> {
        InFlight flight{step, microbatch, {}, {}, {}, {}};
        // With recomputation, this pass also records an autograd graph, which is then discarded. The reason is that
        // some operators choose their algorithm by whether a gradient is needed. Recording does not raise peak memory
        // above the memory of one micro-batch's backward pass.
        if (config_.recompute) flight.inputs = tensors;
        const auto outputs = run_training(flight, std::move(tensors), true);
        if (flight.loss.defined()) loss_ += flight.loss.item<float>() / static_cast<float>(config_.microbatches);
        auto exported = export_outputs(outputs, inputs);
        if (config_.recompute) {
            flight.borders.clear();
            flight.roots.clear();
            flight.loss.reset();
        }
        in_flight_.push_back(std::move(flight));
        return exported;
    });
}

Result<std::vector<HostTensor>> SegmentExecutor::evaluate(const std::vector<HostTensor>& inputs) {
    DIVISI_ASSIGN(const auto tensors, import_inputs(inputs));
    return guarded(where("evaluation"), [&]() -> Result<std::vector<HostTensor>> {
        const at::NoGradGuard no_grad;
        const RunContext context{false, mix(config_.seed, fnv1a("evaluation")), device_, false};
        return export_outputs(evaluation_.run(context, tensors, weights_), inputs);
    });
}

// Backward ------------------------------------------------------------------------------------------

void SegmentExecutor::propagate(InFlight& flight, const std::vector<HostTensor>& gradients) {
    Tensors roots;
    Tensors root_gradients;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
        // A gradient without a type means that downstream segments depend only on the value's shape.
        if (gradients[i].dtype == graph::DType::undefined || !flight.roots[i].requires_grad()) continue;
        roots.push_back(std::move(flight.roots[i]));
        root_gradients.push_back(import_tensor(gradients[i], device_));
    }
    if (flight.loss.defined() && flight.loss.requires_grad()) {
        root_gradients.push_back(seed_gradient_.to(flight.loss.scalar_type()).expand(flight.loss.sizes()));
        roots.push_back(std::move(flight.loss));
    }
    flight.roots.clear();
    flight.loss.reset();
    if (!roots.empty()) run_backward(roots, root_gradients);
    if (Stopwatch* watch = stopwatch()) watch->pause();
}

std::vector<HostTensor> SegmentExecutor::take_border_gradients(InFlight& flight) const {
    std::vector<HostTensor> results;
    results.reserve(flight.borders.size());
    for (auto& border : flight.borders) {
        auto gradient = border->take_gradient();
        if (!gradient.defined()) {
            results.emplace_back();
            continue;
        }
        // A weight's gradient may share this gradient's memory, which the next micro-batch then changes.
        if (gradient.storage().use_count() > 1) gradient = own_copy(gradient);
        results.push_back(export_tensor(gradient));
    }
    return results;
}

Result<std::vector<HostTensor>> SegmentExecutor::backward(std::int64_t step, std::int64_t microbatch,
                                                          const std::vector<HostTensor>& gradients) {
    if (in_flight_.empty() || in_flight_.front().step != step || in_flight_.front().microbatch != microbatch)
        return Error{ErrorCode::invalid_input,
                     "backward of step " + std::to_string(step) + ", micro-batch " + std::to_string(microbatch) +
                         (in_flight_.empty() ? ", but no micro-batch is in flight"
                                             : ", but the oldest micro-batch in flight is " +
                                                   std::to_string(in_flight_.front().microbatch) + " of step " +
                                                   std::to_string(in_flight_.front().step) + " is due"),
                     where("backward"), "micro-batches come in ascending order"};
    if (gradients.size() != config_.output_gradients.size())
        return Error{ErrorCode::invalid_input,
                     std::to_string(gradients.size()) + " gradients where " +
                         std::to_string(config_.output_gradients.size()) + " are needed",
                     where("backward"), ""};
    InFlight flight = std::move(in_flight_.front());
    in_flight_.pop_front();
    ++next_backward_;
    return guarded(where("backward"), [&]() -> Result<std::vector<HostTensor>> {
        if (config_.recompute) run_training(flight, std::move(flight.inputs), false);
        propagate(flight, gradients);
        return take_border_gradients(flight);
    });
}

// The end of a step ---------------------------------------------------------------------------------

Result<std::vector<UseGradient>> SegmentExecutor::use_gradients(const std::vector<std::int32_t>& initializers) {
    std::vector<UseGradient> result;
    for (const std::int32_t initializer : initializers) {
        const auto* weight = weights_.find(initializer);
        if (weight == nullptr)
            return Error{ErrorCode::not_found, "no such weight in this segment",
                         "initializer " + std::to_string(initializer), ""};
        for (const auto& use : weight->uses)
            if (const auto& gradient = weights_.use_gradient(use); gradient.defined())
                result.push_back({initializer, use.number, export_tensor(gradient)});
    }
    return result;
}

Result<std::vector<NormShare>> SegmentExecutor::finish_gradients(const std::vector<UseGradient>& foreign) {
    return guarded(where("gradients"), [&]() -> Result<std::vector<NormShare>> {
        DIVISI_TRY(weights_.fold_uses(foreign, device_));
        gradients_finished_ = true;
        std::vector<NormShare> shares;
        if (config_.optimizer.clip <= 0.0) return shares;
        for (const auto& weight : weights_.all())
            if (weight.gradient.defined()) shares.push_back({weight.initializer, squared_norm(weight.gradient)});
        return shares;
    });
}

Result<void> SegmentExecutor::optimizer_step(std::int64_t step, double lr, std::optional<double> squared_norm) {
    DIVISI_TRY(check_step(step, "optimizer"));
    return guarded(where("optimizer"), [&]() -> Result<void> {
        if (!gradients_finished_) DIVISI_TRY(weights_.fold_uses({}, device_));
        if (config_.optimizer.clip > 0.0 && !squared_norm)
            return Error{ErrorCode::invalid_input, "clipping needs the squared norm of all gradients",
                         where("optimizer"), "sum the shares of all segments in the order of initializers"};
        optimizer_.apply(weights_.all(), step, lr, clip_scale(config_.optimizer.clip, squared_norm.value_or(0.0)));
        end_step();
        return {};
    });
}

/// Clears the state of the step, so that the next step starts without it.
void SegmentExecutor::end_step() {
    weights_.clear_gradients();
    in_flight_.clear();
    step_ = -1;
    loss_ = 0.0F;
    gradients_finished_ = false;
}

// From step to step ---------------------------------------------------------------------------------

Result<std::vector<StateTensor>> SegmentExecutor::state() const {
    return guarded(where("the state"), [&]() -> Result<std::vector<StateTensor>> {
        const at::NoGradGuard no_grad;
        std::vector<StateTensor> tensors;
        const auto& states = optimizer_.states();
        for (const auto& weight : weights_.all()) {
            if (!weights_.changes(weight)) continue;
            tensors.push_back({weight.initializer, "", export_copy(weight.value)});
            const auto kept = states.find(weight.initializer);
            if (kept == states.end()) continue;
            for (const auto& slot : optimizer_.slots())
                if (const auto& tensor = kept->second.*slot.tensor; tensor.defined())
                    tensors.push_back({weight.initializer, slot.name, export_copy(tensor)});
        }
        return tensors;
    });
}

Result<void> SegmentExecutor::restore(const std::vector<StateTensor>& tensors) {
    GivenState given;
    for (const auto& one : tensors) given.emplace(std::pair(one.initializer, one.slot), &one.tensor);
    return guarded(where("restoring"), [&]() -> Result<void> {
        const at::NoGradGuard no_grad;
        DIVISI_ASSIGN(auto next, next_state(given));
        // The operations below this line cannot fail.
        for (auto& [weight, value] : next.values) {
            if (weight->trainable) weight->value.copy_(value);  // in place: the uses share this memory
            else weights_.store(weight->fixed, std::move(value));
        }
        optimizer_.replace(std::move(next.kept));
        end_step();
        return {};
    });
}

/// Builds the new state completely before the current one is changed.
Result<SegmentExecutor::NextState> SegmentExecutor::next_state(const GivenState& given) const {
    NextState next;
    for (const auto& weight : weights_.all()) {
        if (!weights_.changes(weight)) continue;
        DIVISI_ASSIGN(auto value, take_state(given, weight, ""));
        if (!value.defined())
            return Error{ErrorCode::not_found, "the given state lacks a weight of the segment", name_of(weight),
                         "give the state of every segment of one step"};
        // The executor must neither keep nor change the caller's bytes.
        next.values.emplace_back(&weight, weight.trainable ? std::move(value) : own_copy(value));
        if (!weight.trainable) continue;
        for (const auto& slot : optimizer_.slots()) {
            DIVISI_ASSIGN(const auto kept, take_state(given, weight, slot.name));
            if (kept.defined()) next.kept[weight.initializer].*slot.tensor = optimizer_.own_slot(weight.value, kept);
        }
    }
    return next;
}

/// Returns a state tensor; undefined if it is not given.
Result<at::Tensor> SegmentExecutor::take_state(const GivenState& given, const Weight& weight,
                                               const std::string& slot) const {
    const auto found = given.find({weight.initializer, slot});
    if (found == given.end()) return at::Tensor();
    const HostTensor& host = *found->second;
    if (host.dtype != to_dtype(weight.value.scalar_type()) || at::IntArrayRef(host.dims) != weight.value.sizes())
        return Error{ErrorCode::corrupt,
                     (slot.empty() ? "the value" : slot) + " has another type or shape than the weight",
                     name_of(weight), "give the state of the same model"};
    return import_tensor(host, device_);
}

std::string SegmentExecutor::name_of(const Weight& weight) const {
    return config_.graph->values[config_.graph->initializers[weight.initializer].value].name;
}

Result<HostTensor> SegmentExecutor::read(std::int32_t initializer) const {
    const auto* weight = weights_.find(initializer);
    if (weight == nullptr)
        return Error{ErrorCode::not_found, "no such weight in this segment",
                     "initializer " + std::to_string(initializer), ""};
    return guarded("reading a weight", [&]() -> Result<HostTensor> { return export_copy(weight->value); });
}

std::optional<std::int32_t> SegmentExecutor::nonfinite_weight() const {
    const at::NoGradGuard no_grad;
    for (const auto& weight : weights_.all())
        if (weights_.changes(weight) && !at::isfinite(weight.value).all().item<bool>()) return weight.initializer;
    return std::nullopt;
}

std::vector<std::int32_t> SegmentExecutor::initializers() const {
    std::vector<std::int32_t> result;
    for (const auto& weight : weights_.all()) result.push_back(weight.initializer);
    return result;
}

Executor::Memory SegmentExecutor::memory() const {
    Memory memory;
    for (const auto& weight : weights_.all()) {
        memory.parameters += bytes_of(weight.value);
        std::set<const void*> counted;
        for (const auto& use : weight.uses) {
            const auto& gradient = weights_.use_gradient(use);
            if (gradient.defined() && counted.insert(gradient.unsafeGetTensorImpl()).second)
                memory.gradients += bytes_of(gradient);
        }
        if (weight.gradient.defined() && counted.insert(weight.gradient.unsafeGetTensorImpl()).second)
            memory.gradients += bytes_of(weight.gradient);
    }
    memory.optimizer = optimizer_.state_bytes();
    if (config_.recompute) {
        for (const auto& flight : in_flight_)
            for (const auto& input : flight.inputs) memory.activations += bytes_of(input);
    } else {
        memory.activations = activation_bytes_.value_or(0) * static_cast<std::int64_t>(in_flight_.size());
    }
    return memory;
}

Result<std::vector<PreparedNode>> prepare_nodes(const SegmentConfig& config) {
    std::vector<PreparedNode> prepared;
    prepared.reserve(config.nodes.size());
    for (const graph::NodeIndex index : config.nodes) {
        const auto& node = config.graph->nodes[index];
        try {
            prepared.push_back({index, &node, make_kernel(*config.graph, node), fnv1a(node.name)});
        } catch (const std::exception& error) {
            return Error{ErrorCode::unsupported, error.what(), node.name + " (" + node.op_type + ")",
                         "export the model with operators that `divisictl model info` accepts"};
        }
    }
    return prepared;
}

}  // namespace

Result<std::unique_ptr<Executor>> make_executor(const SegmentConfig& config, const WeightReader& read_weight) {
    if (config.microbatches < 1 || config.threads < 1)
        return Error{ErrorCode::invalid_input, "a segment needs at least one micro-batch and one thread", "", ""};
    return guarded("preparation", [&]() -> Result<std::unique_ptr<Executor>> {
        DIVISI_ASSIGN(const auto device, parse_device(config.device));
        if (const auto problem = device_problem(device); !problem.empty())
            return Error{ErrorCode::unavailable, problem, "device '" + config.device + "'", "use device = \"cpu\""};
        set_threads(config.threads);
        use_tensor_memory();
        if (config.stopwatch != nullptr && !device.is_cpu())
            config.stopwatch->wait_with([device] { wait_for(device); });
        DIVISI_ASSIGN(auto nodes, prepare_nodes(config));
        DIVISI_ASSIGN(auto weights, Weights::load(config, device, read_weight));
        return std::unique_ptr<Executor>(
            std::make_unique<SegmentExecutor>(config, device, std::move(weights), std::move(nodes)));
    });
}

}  // namespace divisi::segment
