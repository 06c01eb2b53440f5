// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/plan_task.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "backend/control/placement/placement.h"
#include "backend/control/protocol/batch_group.h"
#include "backend/control/protocol/task_messages.h"
#include "backend/onnx/import.h"
#include "backend/onnx/skeleton.h"
#include "backend/plan/gradient_order.h"
#include "backend/submit/placement.h"
#include "backend/task/compile.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "backend/task/predict_step.h"

namespace divisi::orchestrator {
namespace {

control::PlannedUnit planned_unit(const plan::TaskGraph& graph, std::size_t index, bool data_apart) {
    const plan::Unit& unit = graph.units[index];
    control::PlannedUnit planned;
    planned.unit.sid = unit.sid;
    planned.unit.kind = plan::to_string(unit.kind);
    for (const plan::UnitEdge& edge : graph.edges) {
        if (edge.to != static_cast<std::int32_t>(index)) continue;
        const Sid& from = graph.units[static_cast<std::size_t>(edge.from)].sid;
        auto& known = planned.unit.depends_on;
        if (std::find(known.begin(), known.end(), from) == known.end()) known.push_back(from);
    }
    planned.stage = unit.stage == plan::data_unit && !data_apart ? 0 : unit.stage;
    return planned;
}

std::string model_label(const task::ModelSection& model) {
    return model.zoo.empty() ? std::filesystem::path(model.onnx).filename().string() : "zoo:" + model.zoo;
}

/// Returns the stages with an operator that reads a weight of the model's file.
std::vector<std::int32_t> weighted_stages(const task::CompiledPlan& compiled) {
    const graph::Graph& graph = compiled.graph();
    std::vector<bool> stored(graph.values.size(), false);
    for (const graph::Initializer& initializer : graph.initializers)
        stored[static_cast<std::size_t>(initializer.value)] = initializer.offset.has_value();
    const auto reads = [&](graph::NodeIndex node) {
        const auto& inputs = graph.nodes[static_cast<std::size_t>(node)].inputs;
        return std::any_of(inputs.begin(), inputs.end(), [&](graph::ValueIndex value) {
            return value != graph::no_value && stored[static_cast<std::size_t>(value)];
        });
    };
    std::vector<std::int32_t> stages;
    for (std::int32_t stage = 0; stage < compiled.stage_count(); ++stage) {
        const auto& nodes = compiled.partition.segments[static_cast<std::size_t>(stage)].nodes;
        if (std::any_of(nodes.begin(), nodes.end(), reads)) stages.push_back(stage);
    }
    return stages;
}

/// Returns for each stage the stages of the previous plan that had its operators, largest share first. Leaves out
/// relays, which only pass values on.
std::vector<std::vector<std::int32_t>> inherited(const task::CompiledPlan& plan, const task::CompiledPlan& before) {
    std::map<std::string_view, std::int32_t> stage_of;
    for (std::int32_t stage = 0; stage < before.stage_count(); ++stage)
        for (const graph::NodeIndex node : before.partition.segments[static_cast<std::size_t>(stage)].nodes) {
            const std::string& name = before.graph().nodes[static_cast<std::size_t>(node)].name;
            if (!name.starts_with(plan::relay_scope)) stage_of.emplace(name, stage);
        }
    std::vector<std::vector<std::int32_t>> inherits;
    for (const plan::Segment& segment : plan.partition.segments) {
        std::map<std::int32_t, std::size_t> operators;
        for (const graph::NodeIndex node : segment.nodes) {
            const auto found = stage_of.find(plan.graph().nodes[static_cast<std::size_t>(node)].name);
            if (found != stage_of.end()) ++operators[found->second];
        }
        auto& stages = inherits.emplace_back();
        for (const auto& [stage, count] : operators) stages.push_back(stage);
        std::ranges::stable_sort(stages, std::ranges::greater(), [&](std::int32_t stage) { return operators[stage]; });
    }
    return inherits;
}

/// Returns for each stage the names of its weights and of other values that the stage keeps between steps.
std::vector<std::vector<std::string>> values_of_stages(const task::CompiledPlan& plan) {
    const graph::Graph& graph = plan.graph();
    std::vector<std::vector<std::string>> names;
    for (const plan::Segment& segment : plan.partition.segments) {
        std::set<std::string> values;
        for (const graph::NodeIndex node : segment.nodes)
            for (const graph::ValueIndex input : graph.nodes[static_cast<std::size_t>(node)].inputs)
                if (input != graph::no_value && graph.is_initializer(input))
                    values.insert(graph.values[static_cast<std::size_t>(input)].name);
        names.emplace_back(values.begin(), values.end());
    }
    return names;
}

/// Returns the version from which a training task starts; 0: none. The client has resolved the version and sends its
/// weights.
Result<std::uint64_t> parent_of(const task::TaskSpec& spec) {
    const std::string& from = spec.model.from;
    if (!task::begins_with_version(spec)) return std::uint64_t{0};
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(from.data(), from.data() + from.size(), number);
    if (error == std::errc() && end == from.data() + from.size() && number > 0) return number;
    return Error{ErrorCode::invalid_input, "= '" + from + "' is not a version number", "model.from",
                 "submit the task with 'divisictl run', which finds the version"};
}

Result<task::CompiledPlan> compile(const control::SubmitTask& submission,
                                   const std::vector<std::string>& secure_nodes) {
    DIVISI_ASSIGN(const task::TaskSpec spec, task::parse_task(submission.text, "task file"));
    DIVISI_ASSIGN(const graph::Graph model, task::load_model(spec, [&]() -> Result<graph::Graph> {
                      if (submission.skeleton.empty())
                          return Error{ErrorCode::invalid_input, "the model did not come with the task",
                                       spec.model.onnx, "submit it again"};
                      return onnx::load_skeleton(std::as_bytes(std::span(submission.skeleton)), spec.model.onnx);
                  }));
    task::CompileOptions options;
    options.task = control::unnamed_task;
    options.secure_nodes = secure_nodes;
    return task::compile(spec, model, options);
}

using Stopwatch = std::chrono::steady_clock;

/// Reads the bytes as a skeleton if they state which weights are trained; otherwise imports them as an ONNX file.
Result<graph::Graph> read_model(const std::string& bytes, const task::ModelSection& model) {
    const auto view = std::as_bytes(std::span(bytes));
    const std::string origin = "the model of the message";
    if (bytes.empty())
        return Error{ErrorCode::invalid_input, "the model did not come with the request", model.onnx,
                     "send its skeleton, or its ONNX model"};
    const auto trains = [](const graph::Initializer& initializer) { return initializer.trainable; };
    auto skeleton = onnx::load_skeleton(view, origin);
    if (skeleton && std::any_of(skeleton->initializers.begin(), skeleton->initializers.end(), trains)) return skeleton;
    onnx::ImportOptions import;
    import.frozen = model.frozen;
    import.infer_shapes = false;
    return onnx::import_bytes(view, origin, import);
}

/// Checks that the plan can be placed on the nodes; fails in the same cases as a submission.
Result<void> check_nodes(const task::CompiledPlan& compiled, const control::ClusterState& nodes) {
    control::PlanSummary summary;
    summary.stages = compiled.stage_count();
    summary.stage_nodes = compiled.stage_nodes;
    summary.data_node = compiled.spec.place.data;
    summary.wish = compiled.spec.place;
    DIVISI_TRY(control::check_wish(nodes, summary.wish));
    DIVISI_TRY(control::place_plan(nodes, summary));
    return {};
}

}  // namespace

Result<control::PlanSummary> plan_task(const control::SubmitTask& submission,
                                       const std::vector<std::string>& secure_nodes, const std::string& before) {
    DIVISI_ASSIGN(const task::CompiledPlan compiled, compile(submission, secure_nodes));
    control::PlanSummary summary;
    summary.name = compiled.spec.task.name;
    summary.priority = compiled.spec.task.priority;
    summary.model = model_label(compiled.spec.model);
    DIVISI_ASSIGN(summary.parent, parent_of(compiled.spec));
    summary.cuts = compiled.cuts;
    summary.steps = task::is_batch(compiled.spec) ? 0 : compiled.spec.train.steps;
    summary.batch = compiled.spec.train.batch;
    summary.stages = compiled.stage_count();
    summary.stage_nodes = compiled.stage_nodes;
    summary.data_node = compiled.spec.place.data;
    summary.data_instances = static_cast<std::int32_t>(compiled.spec.data.instances);
    summary.weighted = weighted_stages(compiled);
    summary.threads = static_cast<std::int32_t>(compiled.spec.place.threads);
    summary.device = compiled.spec.place.device;
    // The memory of a GPU does not count as memory of its node.
    if (compiled.spec.place.device == "cpu")
        summary.memory = *std::max_element(compiled.memory.begin(), compiled.memory.end());
    summary.memory = std::max(summary.memory, Bytes{compiled.spec.place.memory_mib} << 20);
    summary.most_seconds = compiled.spec.task.most_seconds;
    summary.wish = compiled.spec.place;
    if (!task::is_batch(compiled.spec)) {  // a batch has no state to inherit
        DIVISI_ASSIGN(summary.checkpoint, task::checkpoint_rule(compiled.spec.checkpoint));
    }
    DIVISI_ASSIGN(summary.answer, task::fault_answer(compiled.spec.faults));
    summary.plan_hash = compiled.hash;
    summary.group = control::batch_group(task::group_hash(compiled), submission);
    for (std::size_t i = 0; i < compiled.task_graph.units.size(); ++i)
        summary.units.push_back(planned_unit(compiled.task_graph, i, summary.data_apart() > 0));
    if (!before.empty()) {
        control::SubmitTask earlier = submission;
        earlier.text = before;
        DIVISI_ASSIGN(const task::CompiledPlan followed, compile(earlier, secure_nodes));
        summary.inherits = inherited(compiled, followed);
        summary.begins_with = values_of_stages(compiled);
        summary.weighted_before = weighted_stages(followed);
    }
    return summary;
}

Result<control::ModelSegmented> segment_model(const control::Segmentation& asked, const std::filesystem::path& data,
                                              const search::StopSearch& stop) {
    const auto begin = Stopwatch::now();
    const control::SegmentModel& request = asked.request;
    DIVISI_ASSIGN(const task::TaskSpec spec,
                  task::parse_task(request.text, "the text of the message", request.split, !request.skeleton.empty()));
    DIVISI_ASSIGN(const graph::Graph model,
                  task::load_model(spec, [&] { return read_model(request.skeleton, spec.model); }));
    task::CompileOptions options;
    options.devices = submit::placement_of(asked.nodes, spec.place, data);
    options.stop = stop;
    DIVISI_ASSIGN(const task::CompiledPlan compiled, task::compile(spec, model, options));
    DIVISI_TRY(check_nodes(compiled, asked.nodes));
    control::ModelSegmented answer;
    answer.cluster = asked.nodes.name;
    DIVISI_ASSIGN(answer.plan, task::price_plan(compiled, model, options.devices));
    answer.time_ms = std::chrono::duration<double, std::milli>(Stopwatch::now() - begin).count();
    return answer;
}

}  // namespace divisi::orchestrator
