// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/unit_setup.h"

#include <algorithm>
#include <map>
#include <vector>

#include "backend/task/data_files.h"

namespace divisi::instance {
namespace {

/// Returns the dimensions of one sample of a value.
std::vector<std::int64_t> sample_dims(const graph::Value& value) {
    std::vector<std::int64_t> dims;
    for (std::size_t axis = 1; value.shape && axis < value.shape->size(); ++axis)
        if ((*value.shape)[axis].known()) dims.push_back((*value.shape)[axis].size);
    return dims;
}

/// Returns the target columns that the data must provide for each head's loss.
std::vector<data::TargetSpec> target_specs(const task::CompiledPlan& plan) {
    std::vector<data::TargetSpec> targets;
    for (const plan::Head& head : plan.training->heads) {
        const graph::Value& output = plan.graph().values[static_cast<std::size_t>(head.output)];
        data::TargetSpec target;
        target.column = plan.training->multi_task ? task::target_column(plan.spec, head.name) : "target";
        target.form = head.kind == plan::Loss::mse ? data::Targets::values : data::Targets::classes;
        target.dims = sample_dims(output);
        if (head.kind != plan::Loss::mse && !target.dims.empty()) target.dims.pop_back();
        if (target.form == data::Targets::values) target.classes = target.dims.empty() ? 0 : target.dims.back();
        else if (plan.spec.data.classes > 0) target.classes = plan.spec.data.classes;
        else if (output.shape && !output.shape->empty()) target.classes = output.shape->back().size;
        targets.push_back(std::move(target));
    }
    return targets;
}

/// Returns a bound below which integers are valid rows of every table that they index. Returns 2 if they index no
/// table, like masks and types.
std::int64_t table_rows(const graph::Graph& graph, graph::ValueIndex numbers) {
    std::int64_t rows = 0;
    for (const graph::NodeIndex consumer : graph.values[static_cast<std::size_t>(numbers)].consumers) {
        const graph::Node& node = graph.nodes[static_cast<std::size_t>(consumer)];
        if (node.op_type != "Gather" || node.inputs[1] != numbers) continue;
        const auto& table = graph.values[static_cast<std::size_t>(node.inputs[0])].shape;
        const auto axis = node.attributes.find("axis");
        const auto* number = axis == node.attributes.end() ? nullptr : get_if<std::int64_t>(&axis->second);
        const bool first = axis == node.attributes.end() || (number && *number == 0);
        if (!first || !table || table->empty() || !table->front().known()) continue;
        rows = rows == 0 ? table->front().size : std::min(rows, table->front().size);
    }
    return rows > 0 ? rows : 2;
}

/// Returns the model's inputs without the targets, to generate data for them.
std::vector<data::InputSpec> input_specs(const task::CompiledPlan& plan) {
    std::vector<data::InputSpec> inputs;
    for (const graph::ValueIndex input : plan.graph().inputs) {
        if (plan.training->is_target(input)) continue;
        const graph::Value& value = plan.graph().values[static_cast<std::size_t>(input)];
        inputs.push_back({column_of(plan, input), value.dtype, sample_dims(value), table_rows(plan.graph(), input)});
    }
    return inputs;
}

/// Returns whether there is one input and one target in a form that has specific synthetic data: waves, projections,
/// token sequences.
bool is_plain(const std::vector<data::InputSpec>& inputs, const data::TargetSpec& target) {
    if (inputs.size() != 1 || inputs.front().dims.empty()) return false;
    if (inputs.front().dtype == graph::DType::int64)
        return target.form == data::Targets::classes && target.dims.size() == 1 && target.dims == inputs.front().dims &&
               target.classes <= inputs.front().below;
    return target.form == data::Targets::classes ? target.dims.empty() : target.dims.size() == 1;
}

/// Configures the last segment of a batch task to return each head's output and, if present, its label.
void report_results(const plan::TrainingGraph& training, segment::SegmentConfig& config) {
    for (const plan::Head& head : training.heads) {
        config.metrics.push_back(head.result);
        if (head.label != graph::no_value) config.metrics.push_back(head.label);
    }
}

/// Configures the segment with the loss to report figures of the heads: their losses in training, and each head's loss
/// and accuracy in evaluation.
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

}  // namespace

std::string column_of(const task::CompiledPlan& plan, graph::ValueIndex input) {
    for (const plan::Head& head : plan.training->heads)
        if (head.target == input)
            return plan.training->multi_task ? task::target_column(plan.spec, head.name) : "target";
    const std::string& name = plan.graph().values[static_cast<std::size_t>(input)].name;
    if (const auto found = plan.spec.model.inputs.find(name); found != plan.spec.model.inputs.end())
        return found->second;
    const auto& all = plan.graph().inputs;
    const auto inputs = std::count_if(all.begin(), all.end(), [&](auto one) { return !plan.training->is_target(one); });
    return inputs > 1 ? "input/" + name : "input";
}

Result<data::DatasetSpec> dataset_spec(const task::CompiledPlan& plan, const PathResolver& resolve) {
    const task::DataSection& section = plan.spec.data;
    data::DatasetSpec spec;
    spec.kind = section.kind;
    const std::map<std::string, std::string*> places{{"data", &spec.path},
                                                     {"labels", &spec.labels},
                                                     {"validation", &spec.validation},
                                                     {"validation_labels", &spec.validation_labels}};
    for (const task::DataFile& file : task::data_files(section, plan.spec.batch.labels)) {
        DIVISI_ASSIGN(*places.at(file.purpose), resolve(file.purpose, file.path));
    }
    spec.targets = section.targets;
    spec.validation_share = section.validation_share;
    spec.samples = section.samples;
    spec.seed = plan.spec.train.seed;
    spec.batch = plan.spec.train.batch;
    spec.rows = task::microbatch_size(plan.spec);
    spec.once = task::is_batch(plan.spec);
    spec.labelled = plan.spec.batch.labels;
    std::vector<data::TargetSpec> targets = target_specs(plan);
    spec.classes = targets.front().classes;
    spec.target_form = targets.front().form;
    std::vector<data::InputSpec> inputs = input_specs(plan);
    const auto shaped =
        std::find_if(inputs.begin(), inputs.end(), [](const auto& input) { return !input.dims.empty(); });
    if (shaped != inputs.end()) {
        spec.input_shape = shaped->dims;
        spec.input_dtype = shaped->dtype;
    }
    const bool every = section.kind == "synthetic" && !is_plain(inputs, targets.front());
    if (plan.training->multi_task || every) spec.heads = std::move(targets);
    if (section.kind == "synthetic") spec.inputs = std::move(inputs);
    return spec;
}

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
    if (stage == plan.loss_stage()) {
        if (task::is_batch(plan.spec)) report_results(*plan.training, config);
        else report_heads(*plan.training, config);
    }
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

}  // namespace divisi::instance
