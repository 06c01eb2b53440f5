// SPDX-License-Identifier: Apache-2.0
#include "backend/task/validate.h"

#include <algorithm>

#include "backend/task/compile.h"
#include "backend/task/suggest.h"

namespace divisi::task {

namespace {

std::vector<std::string> input_names(const graph::Graph& model) {
    std::vector<std::string> names;
    for (const graph::ValueIndex input : model.inputs) names.push_back(model.values[input].name);
    return names;
}

}  // namespace

Result<void> check_inputs(const TaskSpec& spec, const graph::Graph& model) {
    const std::vector<std::string> names = input_names(model);
    for (const auto& [input, column] : spec.model.inputs)
        if (std::find(names.begin(), names.end(), input) == names.end())
            return Error{ErrorCode::invalid_input, "the model has no input '" + input + "'", "model.inputs",
                         suggest(input, names)};
    for (const std::string& name : names)
        if (names.size() > 1 && !spec.model.inputs.contains(name))
            return Error{ErrorCode::invalid_input, "no data column feeds the model's input '" + name + "'",
                         "model.inputs", "add a line such as " + name + " = \"column\""};
    const std::int64_t samples = microbatch_size(spec);
    for (const graph::ValueIndex input : model.inputs) {
        const graph::Value& value = model.values[input];
        if (!value.shape || value.shape->empty() || !value.shape->front().known()) continue;
        const std::int64_t size = value.shape->front().size;
        if (size == samples) continue;
        return Error{ErrorCode::invalid_input,
                     "the model's input '" + value.name + "' takes " + std::to_string(size) +
                         " samples at once, and a micro-batch has " + std::to_string(samples),
                     "train.microbatches",
                     "choose batch and microbatches so that batch / microbatches = " + std::to_string(size) +
                         ", or export the model with a dynamic batch dimension"};
    }
    return {};
}

Result<graph::Graph> freeze(const TaskSpec& spec, graph::Graph model) {
    for (const std::string& pattern : spec.model.frozen) {
        bool found = false;
        std::vector<std::string> trainable;
        for (graph::Initializer& initializer : model.initializers) {
            const std::string& name = model.values[initializer.value].name;
            if (graph::is_floating(model.values[initializer.value].dtype)) trainable.push_back(name);
            if (!plan::name_matches(name, pattern)) continue;
            initializer.trainable = false;
            found = true;
        }
        if (!found)
            return Error{ErrorCode::not_found, "no weight of the model is called '" + pattern + "'", "model.frozen",
                         suggest(pattern, trainable)};
    }
    return model;
}

Result<plan::TrainingGraph> add_loss(const TaskSpec& spec, const graph::Graph& model) {
    DIVISI_ASSIGN(const plan::Loss loss, plan::parse_loss(spec.train.loss));
    return plan::make_training_graph(model, {loss, spec.model.output, spec.data.classes});
}

Result<plan::CutChoice> choose_split(const TaskSpec& spec, const graph::Graph& model, const graph::CutList& cuts,
                                     const graph::GraphCost& cost) {
    const bool listed = !spec.split.cuts.empty();
    if (!listed && spec.split.stages <= 1) return plan::CutChoice{};
    auto choice = listed ? plan::choose_cuts(model, cuts, spec.split.cuts)
                         : plan::equal_flops(model, cuts, cost, spec.split.stages);
    if (choice.ok()) return choice;
    Error error = std::move(choice).error();
    if (listed) error.what = error.where + ": " + error.what;
    error.where = listed ? "split.cuts" : "split.stages";
    return error;
}

Result<plan::Blocks> choose_blocks(const TaskSpec& spec, const plan::TrainingGraph& training) {
    std::vector<std::vector<std::string>> lists;
    for (const SegmentSpec& segment : spec.split.segments) lists.push_back(segment.nodes);
    DIVISI_ASSIGN(const auto block_of, plan::match_operators(training.graph, training.model_nodes, lists));
    return plan::make_blocks(training, block_of, static_cast<std::int32_t>(lists.size()));
}

Result<void> check_against_model(const TaskSpec& spec, const graph::Graph& model) {
    DIVISI_TRY(check_inputs(spec, model));
    DIVISI_ASSIGN(const graph::Graph frozen, freeze(spec, model));
    DIVISI_ASSIGN(const plan::TrainingGraph training, add_loss(spec, frozen));
    if (spec.split.segments.empty())
        DIVISI_TRY(choose_split(spec, frozen, graph::find_cuts(frozen), graph::GraphCost(training.graph)));
    else DIVISI_TRY(choose_blocks(spec, training));
    return {};
}

}  // namespace divisi::task
