// SPDX-License-Identifier: Apache-2.0
// What each kind of operation does with the executor and the data.
#include <algorithm>
#include <map>
#include <set>

#include "agents/instance/engine.h"
#include "backend/task/data_files.h"
#include "backend/task/lr_schedule.h"

namespace divisi::instance {

using graph::HostTensor;
using plan::Channel;
using plan::OperationKind;

Result<std::vector<HostTensor>> Engine::perform(Unit& unit, const plan::Start& start, std::vector<HostTensor> inputs) {
    (void)unit;
    const plan::Operation& operation = start.operation;
    switch (operation.kind) {
        case OperationKind::load: return load_samples(start);
        case OperationKind::preprocess: return preprocess(start);
        case OperationKind::forward: return executor_->forward(start.step, operation.microbatch, inputs);
        case OperationKind::backward: return executor_->backward(start.step, operation.microbatch, inputs);
        case OperationKind::share_gradients: return share_gradients(start);
        case OperationKind::finish_gradients: return finish_gradients(start, inputs);
        case OperationKind::optimizer: return optimizer_step(start, inputs);
        case OperationKind::evaluate: return evaluate(inputs);
    }
    return Error{ErrorCode::failed, "unknown operation", "", ""};
}

Result<std::vector<HostTensor>> Engine::load_samples(const plan::Start& start) {
    const std::int64_t rows = task::microbatch_size(config_.plan->spec);
    const std::int64_t microbatches = config_.plan->spec.train.microbatches;
    const std::int64_t microbatch = start.operation.microbatch;
    // Steps count from 1, the data set's from 0: or the first epoch would lack its first batch.
    auto batch = microbatch < microbatches ? dataset_->microbatch(start.step - 1, microbatch, rows)
                                           : dataset_->validation(microbatch - microbatches, rows);
    if (!batch) return std::move(batch).error();
    batch_ = std::move(*batch);
    return std::vector<HostTensor>{};
}

Result<std::vector<HostTensor>> Engine::preprocess(const plan::Start& start) {
    std::vector<HostTensor> outputs;
    for (const std::int32_t number : start.operation.outputs) {
        const Channel& channel = config_.plan->programs->channels[static_cast<std::size_t>(number)];
        outputs.push_back(*batch_->find(column_of(*config_.plan, channel.value)));
    }
    batch_.reset();
    return outputs;
}

/// To every other holder go the gradients of the weights that it shares with this stage.
Result<std::vector<HostTensor>> Engine::share_gradients(const plan::Start& start) {
    std::vector<HostTensor> outputs;
    for (const std::int32_t number : start.operation.outputs) {
        const Channel& channel = config_.plan->programs->channels[static_cast<std::size_t>(number)];
        std::vector<std::int32_t> common;
        for (const plan::SharedWeight& shared : config_.plan->partition.shared_weights) {
            const auto holds = [&](std::int32_t s) {
                return std::find(shared.segments.begin(), shared.segments.end(), s) != shared.segments.end();
            };
            if (holds(channel.from) && holds(channel.to)) common.push_back(shared.initializer);
        }
        DIVISI_ASSIGN(const auto gradients, executor_->use_gradients(common));
        outputs.push_back(pack_use_gradients(gradients));
    }
    return outputs;
}

Result<std::vector<HostTensor>> Engine::finish_gradients(const plan::Start& start,
                                                         const std::vector<HostTensor>& inputs) {
    std::vector<segment::UseGradient> foreign;
    for (const HostTensor& input : inputs) {
        DIVISI_ASSIGN(auto gradients, unpack_use_gradients(input));
        std::move(gradients.begin(), gradients.end(), std::back_inserter(foreign));
    }
    DIVISI_ASSIGN(own_shares_, executor_->finish_gradients(foreign));
    return std::vector<HostTensor>(start.operation.outputs.size(), pack_norm_shares(own_shares_));
}

Result<std::vector<HostTensor>> Engine::optimizer_step(const plan::Start& start,
                                                       const std::vector<HostTensor>& inputs) {
    const task::TrainSection& train = config_.plan->spec.train;
    std::optional<double> squared_norm;
    if (train.clip > 0) {
        std::vector<segment::NormShare> shares = own_shares_;
        for (const HostTensor& input : inputs) {
            DIVISI_ASSIGN(const auto more, unpack_norm_shares(input));
            shares.insert(shares.end(), more.begin(), more.end());
        }
        squared_norm = total_squared_norm(std::move(shares));
    }
    step_loss_ = executor_->step_loss();
    step_head_losses_ = executor_->step_means();
    DIVISI_TRY(executor_->optimizer_step(start.step, task::learning_rate(train, start.step), squared_norm));
    return std::vector<HostTensor>{};
}

Result<std::vector<HostTensor>> Engine::evaluate(const std::vector<HostTensor>& inputs) {
    DIVISI_ASSIGN(auto results, executor_->evaluate(inputs));
    if (config_.stage != config_.plan->loss_stage()) return results;
    // Outputs, then the loss, then the metrics.
    const std::size_t outputs = config_.plan->programs->flows[static_cast<std::size_t>(config_.stage)].outputs.size();
    eval_sums_.resize(results.size() - outputs, 0.0);
    for (std::size_t i = 0; i < eval_sums_.size(); ++i) eval_sums_[i] += results[outputs + i].number_at(0);
    ++eval_count_;
    results.resize(outputs);
    return results;
}

namespace {

/// The segment of the loss also reports what the heads have: in training their losses, in evaluation of each head its
/// loss and then its accuracy.
void report_heads(const plan::TrainingGraph& training, segment::SegmentConfig& config) {
    config.loss = training.loss;
    for (const plan::Head& head : training.heads) {
        if (training.multi_task) {
            config.observed.push_back(head.loss);
            config.metrics.push_back(head.loss);
        }
        if (head.accuracy != graph::no_value) config.metrics.push_back(head.accuracy);
    }
}

/// What the data must give for each head's loss.
std::vector<data::TargetSpec> target_specs(const task::CompiledPlan& plan) {
    std::vector<data::TargetSpec> targets;
    for (const plan::Head& head : plan.training->heads) {
        const graph::Value& output = plan.graph().values[static_cast<std::size_t>(head.output)];
        data::TargetSpec target;
        target.column = plan.training->multi_task ? task::target_column(plan.spec, head.name) : "target";
        target.form = head.kind == plan::Loss::mse ? data::Targets::values : data::Targets::classes;
        target.classes = plan.spec.data.classes;
        if (target.classes == 0 && output.shape && !output.shape->empty()) target.classes = output.shape->back().size;
        targets.push_back(std::move(target));
    }
    return targets;
}

}  // namespace

segment::SegmentConfig segment_config(const task::CompiledPlan& plan, std::int32_t stage) {
    const task::TrainSection& train = plan.spec.train;
    const plan::SegmentFlow& flow = plan.programs->flows[static_cast<std::size_t>(stage)];
    segment::SegmentConfig config;
    config.graph = plan.shared_graph();
    config.nodes = plan.partition.segments[static_cast<std::size_t>(stage)].nodes;
    config.inputs = flow.inputs;
    config.outputs = flow.outputs;
    config.input_gradients = flow.input_gradients;
    config.output_gradients = flow.output_gradients;
    if (stage == plan.loss_stage()) report_heads(*plan.training, config);
    config.microbatches = train.microbatches;
    config.seed = train.seed;
    config.recompute = train.recompute;
    config.device = plan.spec.place.device;
    config.threads = static_cast<int>(plan.spec.place.threads);
    using Kind = segment::OptimizerConfig::Kind;
    config.optimizer = {train.optimizer == "adamw" ? Kind::adamw : Kind::sgd,
                        train.momentum,
                        train.beta1,
                        train.beta2,
                        train.epsilon,
                        train.weight_decay,
                        train.clip};
    return config;
}

std::string column_of(const task::CompiledPlan& plan, graph::ValueIndex input) {
    for (const plan::Head& head : plan.training->heads)
        if (head.target == input)
            return plan.training->multi_task ? task::target_column(plan.spec, head.name) : "target";
    const auto found = plan.spec.model.inputs.find(plan.graph().values[static_cast<std::size_t>(input)].name);
    return found == plan.spec.model.inputs.end() ? "input" : found->second;
}

Result<data::DatasetSpec> dataset_spec(const task::CompiledPlan& plan, const PathResolver& resolve) {
    const task::DataSection& section = plan.spec.data;
    const graph::Graph& graph = plan.graph();
    data::DatasetSpec spec;
    spec.kind = section.kind;
    const std::map<std::string, std::string*> places{{"data", &spec.path},
                                                     {"labels", &spec.labels},
                                                     {"validation", &spec.validation},
                                                     {"validation_labels", &spec.validation_labels}};
    for (const task::DataFile& file : task::data_files(section)) {
        DIVISI_ASSIGN(*places.at(file.purpose), resolve(file.purpose, file.path));
    }
    spec.targets = section.targets;
    spec.validation_share = section.validation_share;
    spec.samples = section.samples;
    spec.seed = plan.spec.train.seed;
    spec.batch = plan.spec.train.batch;
    spec.rows = task::microbatch_size(plan.spec);
    std::vector<data::TargetSpec> targets = target_specs(plan);
    spec.classes = targets.front().classes;
    spec.target_form = targets.front().form;
    if (plan.training->multi_task) spec.heads = std::move(targets);
    for (const graph::ValueIndex input : graph.inputs) {
        const graph::Value& value = graph.values[static_cast<std::size_t>(input)];
        if (plan.training->is_target(input) || !value.shape || value.shape->empty()) continue;
        for (std::size_t axis = 1; axis < value.shape->size(); ++axis)
            if ((*value.shape)[axis].known()) spec.input_shape.push_back((*value.shape)[axis].size);
        spec.input_dtype = value.dtype;
        break;
    }
    return spec;
}

}  // namespace divisi::instance
