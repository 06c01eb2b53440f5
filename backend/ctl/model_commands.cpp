// SPDX-License-Identifier: Apache-2.0
// divisictl model info, plan, and what divisi-instance does for it.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "backend/base/units.h"
#include "backend/ctl/commands.h"
#include "backend/ctl/task_input.h"
#include "backend/ctl/terminal.h"
#include "backend/embed/embedded_cluster.h"
#include "backend/graph/cost.h"
#include "backend/graph/cuts.h"
#include "backend/onnx/import.h"
#include "backend/plan/gradient_order.h"
#include "backend/process/child.h"
#include "backend/store/profile_store.h"
#include "backend/submit/placement.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "backend/task/predict_step.h"
#include "backend/task/validate.h"

namespace divisi::ctl {
namespace {

using nlohmann::json;

std::string shape_text(const graph::Value& value) {
    if (!value.shape) return "?";
    std::string text = "[";
    for (std::size_t i = 0; i < value.shape->size(); ++i) {
        const graph::Dim& dim = (*value.shape)[i];
        text += (i ? ", " : "") + (dim.known() ? std::to_string(dim.size) : dim.symbol.empty() ? "?" : dim.symbol);
    }
    return text + "]";
}

std::string describe(const graph::Value& value) {
    return value.name + "  " + std::string(graph::name(value.dtype)) + " " + shape_text(value);
}

/// `model` is zoo:NAME or a file; settings are those of a task file's [model] and [train] sections.
Result<graph::Graph> load_for_info(const std::string& model, const std::vector<std::string>& settings) {
    task::TaskSpec spec;
    spec.train.batch = 1;
    if (model.starts_with("zoo:")) spec.model.zoo = model.substr(4);
    else spec.model.onnx = std::filesystem::absolute(model);
    spec.data.kind = "synthetic";
    spec.data.samples = 1;
    auto overridden = task::apply_overrides(spec, settings);
    if (!overridden) {
        Error error = std::move(overridden).error();
        if (!error.where.starts_with("--set")) error.where = model;  // not a place in a task file that nobody wrote
        return error;
    }
    spec = std::move(*overridden);
    if (!spec.model.zoo.empty()) return task::load_model(spec, {});
    onnx::ImportOptions options;
    options.infer_shapes = false;
    DIVISI_ASSIGN(graph::Graph graph, onnx::import_model(spec.model.onnx, options));
    // A fixed batch is shown as it is; a symbolic one as one sample.
    for (const graph::ValueIndex input : graph.inputs) {
        const auto& shape = graph.values[static_cast<std::size_t>(input)].shape;
        if (shape && !shape->empty() && shape->front().known())
            spec.train.batch = shape->front().size * spec.train.microbatches;
    }
    return task::load_model(spec, [&]() -> Result<graph::Graph> { return std::move(graph); });
}

json value_json(const graph::Value& value) {
    json dims = json::array();
    if (value.shape)
        for (const graph::Dim& dim : *value.shape) dims.push_back(dim.known() ? json(dim.size) : json(dim.symbol));
    return {
        {"name", value.name}, {"dtype", std::string(graph::name(value.dtype))}, {"shape", value.shape ? dims : json()}};
}

json info_json(const graph::Graph& graph, const graph::CutList& cuts, const graph::GraphCost& cost) {
    const graph::NodeCost total = cost.total();
    json inputs = json::array(), outputs = json::array(), legal = json::array();
    for (const graph::ValueIndex v : graph.inputs)
        inputs.push_back(value_json(graph.values[static_cast<std::size_t>(v)]));
    for (const graph::ValueIndex v : graph.outputs)
        outputs.push_back(value_json(graph.values[static_cast<std::size_t>(v)]));
    for (std::size_t i = 0; i < cuts.legal.size(); ++i) {
        const graph::NodeIndex node = cuts.legal[i];
        const graph::CutPosition& position = cuts.positions[static_cast<std::size_t>(node)];
        legal.push_back({{"index", i},
                         {"after", graph.nodes[static_cast<std::size_t>(node)].name},
                         {"forward_bytes", position.forward_bytes},
                         {"backward_bytes", position.backward_bytes}});
    }
    return {{"name", graph.name},
            {"opset", graph.opset},
            {"nodes", graph.nodes.size()},
            {"parameters", total.parameters},
            {"parameter_bytes", total.parameter_bytes},
            {"forward_flops", total.forward_flops},
            {"inputs", inputs},
            {"outputs", outputs},
            {"cuts", legal}};
}

void print_info(const graph::Graph& graph, const graph::CutList& cuts, const graph::GraphCost& cost) {
    const graph::NodeCost total = cost.total();
    std::printf("%s: %s, %lld parameters (%s), opset %lld, %s forward\n", graph.name.c_str(),
                counted(static_cast<std::int64_t>(graph.nodes.size()), "operator").c_str(),
                static_cast<long long>(total.parameters),
                format_bytes(static_cast<Bytes>(total.parameter_bytes)).c_str(), static_cast<long long>(graph.opset),
                format_flops(total.forward_flops).c_str());
    for (const graph::ValueIndex v : graph.inputs)
        std::printf("  input   %s\n", describe(graph.values[static_cast<std::size_t>(v)]).c_str());
    for (const graph::ValueIndex v : graph.outputs)
        std::printf("  output  %s\n", describe(graph.values[static_cast<std::size_t>(v)]).c_str());
    std::map<std::string, std::int64_t> kinds;
    for (const graph::Node& node : graph.nodes) ++kinds[node.op_type];
    std::string list;
    for (const auto& [kind, count] : kinds)
        list += (list.empty() ? "" : ", ") + kind + (count > 1 ? " x" + std::to_string(count) : "");
    std::printf("  operators: %s\n\n", list.empty() ? "none" : list.c_str());
    if (cuts.legal.empty()) return void(std::puts("no legal cut: the model runs as one layer"));
    std::printf("%s:\n", counted(static_cast<std::int64_t>(cuts.legal.size()), "legal cut").c_str());
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < cuts.legal.size(); ++i) {
        const graph::NodeIndex node = cuts.legal[i];
        const graph::CutPosition& position = cuts.positions[static_cast<std::size_t>(node)];
        const double before = cost.range(0, node + 1).forward_flops;
        char share[16];
        std::snprintf(share, sizeof share, "%.1f %%",
                      total.forward_flops > 0 ? 100 * before / total.forward_flops : 0.0);
        rows.push_back({std::to_string(i), graph.nodes[static_cast<std::size_t>(node)].name, share,
                        (position.exact ? "" : ">= ") + format_bytes(position.forward_bytes)});
    }
    print_table({">INDEX", "CUT AFTER", ">FLOPS BEFORE", ">CROSSING"}, rows);
}

std::string outputs_text(const graph::Graph& graph, const graph::Node& node) {
    std::string text;
    for (const graph::ValueIndex output : node.outputs) {
        if (output == graph::no_value) continue;
        const graph::Value& value = graph.values[static_cast<std::size_t>(output)];
        text += (text.empty() ? "" : ", ") + std::string(graph::name(value.dtype)) + " " + shape_text(value);
    }
    return text;
}

/// Every operator by the name that cuts, segments and pins take.
void print_operators(const graph::Graph& graph, const graph::GraphCost& cost) {
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const graph::Node& node = graph.nodes[i];
        const auto number = static_cast<graph::NodeIndex>(i);
        rows.push_back({node.op_type, format_flops(cost.range(number, number + 1).forward_flops),
                        outputs_text(graph, node), node.name});
    }
    if (!rows.empty()) print_table({"OPERATOR", ">FLOPS", "GIVES", "NODE"}, rows);
}

json operators_json(const graph::Graph& graph, const graph::GraphCost& cost) {
    json operators = json::array();
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const graph::Node& node = graph.nodes[i];
        const auto number = static_cast<graph::NodeIndex>(i);
        json outputs = json::array();
        for (const graph::ValueIndex output : node.outputs)
            if (output != graph::no_value)
                outputs.push_back(value_json(graph.values[static_cast<std::size_t>(output)]));
        operators.push_back({{"node", node.name},
                             {"operator", node.op_type},
                             {"forward_flops", cost.range(number, number + 1).forward_flops},
                             {"outputs", outputs}});
    }
    return operators;
}

std::string percent(double share) {
    char text[16];
    std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
    return text;
}

std::string split_source(const task::SplitSection& split) {
    if (!split.segments.empty()) return "the segments of the task file";
    if (split.strategy == "business" && split.cuts.empty()) return "branches";
    if (split.strategy == "block") return "block segmentation";
    return split.cuts.empty() ? split.method : "the cuts of the task file";
}

/// Where a stage ends: its cut, or for one that need not be contiguous, its last operator of the model.
std::string end_of(const TaskInput& input, std::size_t stage) {
    const plan::Partition& partition = input.plan.partition;
    if (stage < input.plan.cuts.size()) return input.plan.cuts[stage];
    if (input.spec.split.strategy != "block") return "(end)";
    std::string last;
    for (const graph::NodeIndex node : partition.segments[stage].nodes) {
        const std::string& name = input.plan.graph().nodes[static_cast<std::size_t>(node)].name;
        const bool added = name.starts_with(plan::relay_scope);  // not the model's
        if (node < input.plan.training->model_nodes && !added) last = name;
    }
    return last;
}

/// What each number of stages would buy, where the task leaves it open.
void print_stage_counts(const TaskInput& input) {
    if (input.plan.stage_counts.empty()) return;
    std::vector<std::vector<std::string>> rows;
    double most = 0;
    for (const plan::StageCount& count : input.plan.stage_counts) most = std::max(most, count.slowest);
    for (const plan::StageCount& count : input.plan.stage_counts) {
        const std::string share = percent(most > 0 ? count.slowest / most : 0);
        rows.push_back({std::to_string(count.stages), share, percent(count.buys)});
    }
    std::puts("the number of stages is open; the slowest of them, and by how much the last one makes it faster:");
    print_table({">STAGES", ">SLOWEST", ">BUYS"}, rows);
}

/// How far the slowest stage or link is from the least possible: for contiguous cuts that is known, else no stages
/// can do better than share the work evenly.
Result<plan::Distance> distance_of(const TaskInput& input, const plan::Prediction& prediction, plan::NodePool devices) {
    const task::SplitSection& split = input.spec.split;
    devices.wanted = input.plan.stage_nodes;
    if (split.strategy == "layer" && split.segments.empty())
        return task::split_distance(input.spec, input.model, input.plan.cut_indices, devices);
    plan::Distance distance;
    for (const plan::PredictedStage& stage : prediction.stages) {
        const double ms = 1000 * stage.price.total();
        distance.slowest_ms = std::max(distance.slowest_ms, ms);
        distance.least_ms += ms / static_cast<double>(prediction.stages.size());
    }
    return distance;
}

double gap(const plan::Distance& distance) {
    return distance.least_ms > 0 ? distance.slowest_ms / distance.least_ms - 1 : 0;
}

json plan_json(const TaskInput& input, const plan::Prediction& prediction, const plan::Distance& distance,
               double time_ms) {
    json stages = json::array();
    for (const plan::Segment& segment : input.plan.partition.segments) {
        json nodes = json::array();
        for (const graph::NodeIndex node : segment.nodes)
            nodes.push_back(input.plan.graph().nodes[static_cast<std::size_t>(node)].name);
        stages.push_back(std::move(nodes));
    }
    json predictions = json::array();
    for (std::size_t i = 0; i < input.plan.stages.size(); ++i) {
        const task::StagePrediction& stage = input.plan.stages[i];
        const plan::PredictedStage& priced = prediction.stages[i];
        predictions.push_back({{"flops", stage.flops},
                               {"flops_share", stage.flops_share},
                               {"sent_forward_bytes", stage.sent_forward},
                               {"sent_backward_bytes", stage.sent_backward},
                               {"memory_bytes", stage.memory.total()},
                               {"busy_ms", priced.busy_ms},
                               {"bubble", priced.bubble},
                               {"profiled_share", priced.price.profiled_share()}});
    }
    json counts = json::array();
    for (const plan::StageCount& count : input.plan.stage_counts)
        counts.push_back({{"stages", count.stages}, {"slowest", count.slowest}, {"buys", count.buys}});
    json plan = {{"stages", stages},
                 {"cuts", input.plan.cuts},
                 {"predictions", predictions},
                 {"stage_counts", counts},
                 {"hash", input.plan.hash},
                 {"objective_ms", distance.slowest_ms},
                 {"lower_bound_ms", distance.least_ms},
                 {"gap", gap(distance)},
                 {"predicted_step_ms", prediction.step_ms},
                 {"profiled_share", prediction.profiled_share},
                 {"time_ms", time_ms}};
    for (const task::PartPrediction& part : input.plan.parts)
        plan["parts"].push_back({{"name", part.name},
                                 {"flops", part.flops},
                                 {"flops_share", part.flops_share},
                                 {"stages", part.stages},
                                 {"shared_values", part.shared_values}});
    return plan;
}

/// Backbone and heads of a multi-task model.
void print_parts(const task::CompiledPlan& plan) {
    if (plan.parts.empty()) return;
    std::vector<std::vector<std::string>> rows;
    for (const task::PartPrediction& part : plan.parts) {
        std::string stages, values;
        for (const std::int32_t stage : part.stages) stages += (stages.empty() ? "" : ", ") + std::to_string(stage);
        for (const std::string& value : part.shared_values) values += (values.empty() ? "" : ", ") + value;
        rows.push_back({part.name, percent(part.flops_share), format_flops(part.flops), stages, values});
    }
    print_table({"PART", ">WORK", ">FLOPS A STEP", "STAGES", "SHARES"}, rows);
    std::printf("\n");
}

}  // namespace

int model_info(const Common& common, const std::string& model, const std::vector<std::string>& settings,
               bool operators) {
    const auto graph = load_for_info(model, settings);
    if (!graph) return print_error(graph.error());
    const graph::CutList cuts = graph::find_cuts(*graph);
    const graph::GraphCost cost(*graph);
    if (common.json) {
        json info = info_json(*graph, cuts, cost);
        if (operators) info["operators"] = operators_json(*graph, cost);
        std::puts(info.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
        return 0;
    }
    print_info(*graph, cuts, cost);
    if (operators) {
        std::puts("");
        print_operators(*graph, cost);
    }
    return 0;
}

namespace {

std::string price_source(const plan::Prediction& prediction, const std::string& file) {
    if (prediction.profiled_share >= 0.995) return "every operator was measured";
    const std::string rates = "FLOPs and bytes over the device's rates; measure with 'divisictl profile " + file + "'";
    return prediction.profiled_share > 0 ? percent(prediction.profiled_share) + " measured, the rest " + rates : rates;
}

}  // namespace

int plan_task(const Common& common, const TaskFileOptions& options) {
    const auto begin = std::chrono::steady_clock::now();
    const auto spec = read_spec(options);
    if (!spec) return print_error(spec.error());
    const plan::NodePool devices = submit::placement_of({}, spec->place, embed::default_data_folder());
    task::CompileOptions compile;
    compile.devices = devices;
    const auto input = read_task(options, compile);
    if (!input) return print_error(input.error());
    const double time_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    const auto prediction = task::predict_step(input->plan, task::placed(input->plan, devices));
    if (!prediction) return print_error(prediction.error());
    const auto distance = distance_of(*input, *prediction, devices);
    if (!distance) return print_error(distance.error());
    if (common.json) {
        const json line = plan_json(*input, *prediction, *distance, time_ms);
        std::puts(line.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
        return 0;
    }
    print_stage_counts(*input);
    std::printf("%s in %s by %s, plan %s\n", input->model.name.c_str(),
                counted(input->plan.stage_count(), "stage").c_str(), split_source(input->spec.split).c_str(),
                input->plan.hash.c_str());
    std::printf("the slowest stage or link takes %s a micro-batch, %.1f %% above the lower bound\n",
                format_duration_ms(distance->slowest_ms).c_str(), 100 * gap(*distance));
    print_parts(input->plan);
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < input->plan.stages.size(); ++i) {
        const task::StagePrediction& stage = input->plan.stages[i];
        const plan::PredictedStage& priced = prediction->stages[i];
        rows.push_back({std::to_string(i), std::to_string(input->plan.partition.segments[i].nodes.size()),
                        percent(stage.flops_share), format_duration_ms(priced.busy_ms), percent(priced.bubble),
                        format_bytes(stage.sent_forward), format_bytes(stage.sent_backward),
                        format_bytes(stage.memory.total()), end_of(*input, i)});
    }
    print_table({">STAGE", ">OPS", ">WORK", ">BUSY", ">BUBBLE", ">SENT ON", ">BACK", ">MEMORY", "ENDS AFTER"}, rows);
    std::printf("predicted: %s a step on this machine (%s, %g cores)\n",
                format_duration_ms(prediction->step_ms).c_str(), input->spec.place.device.c_str(),
                devices(1).hosts.front().cores);
    std::printf("prices: %s\n", price_source(*prediction, options.file).c_str());
    for (const std::string& warning : input->plan.warnings) std::printf("note: %s\n", warning.c_str());
    return 0;
}

std::string profile_store() {
    const std::filesystem::path folder = embed::default_data_folder();
    std::error_code ignored;  // whoever opens the file says what is wrong with the folder
    std::filesystem::create_directories(folder, ignored);
    return folder / store::profile_file;
}

int exec_instance(const std::vector<std::string>& arguments) {
    const std::string program = process::program_folder() / "divisi-instance";
    std::vector<char*> words{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    ::execv(program.c_str(), words.data());
    return print_error(
        {ErrorCode::unavailable, "cannot start divisi-instance", program, "install it beside divisictl"});
}

}  // namespace divisi::ctl
