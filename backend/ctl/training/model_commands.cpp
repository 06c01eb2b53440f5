// SPDX-License-Identifier: Apache-2.0
// divisictl model info, and the commands that start divisi-instance.
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "backend/base/units.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/embed/embedded_cluster.h"
#include "backend/graph/cost.h"
#include "backend/graph/cuts.h"
#include "backend/onnx/import.h"
#include "backend/process/child.h"
#include "backend/process/command_line.h"
#include "backend/process/processor.h"
#include "backend/store/profile_store.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"

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

/// Loads a graph to describe. `model` is zoo:NAME or a file. `settings` override values in the [model] and [train]
/// sections of a task file.
Result<graph::Graph> load_for_info(const std::string& model, const std::vector<std::string>& settings) {
    task::TaskSpec spec;
    spec.train.batch = 1;
    if (model.starts_with("zoo:")) spec.model.zoo = model.substr(4);
    else spec.model.onnx = process::absolute_path(model);
    spec.data.kind = "synthetic";
    spec.data.samples = 1;
    auto overridden = task::apply_overrides(spec, settings);
    if (!overridden) {
        Error error = std::move(overridden).error();
        // the user has no task file, so the error names the model
        if (!error.where.starts_with("--set")) error.where = model;
        return error;
    }
    spec = std::move(*overridden);
    if (!spec.model.zoo.empty()) return task::load_model(spec, {});
    onnx::ImportOptions options;
    options.infer_shapes = false;
    DIVISI_ASSIGN(graph::Graph graph, onnx::import_model(spec.model.onnx, options));
    // A fixed batch is shown unchanged, a symbolic batch as one sample.
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

/// Lists every operator by the name that cuts, segments and pins use.
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

std::string profile_store() {
    const std::filesystem::path folder = embed::default_data_folder();
    std::error_code ignored;  // the function that opens the file reports what is wrong with the folder
    std::filesystem::create_directories(folder, ignored);
    return folder / store::profile_file;
}

int exec_instance(const std::vector<std::string>& arguments) {
    const std::string program = process::program_folder() / "divisi-instance";
    std::vector<char*> words{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    // Use the same BLAS kernels as a run, so that the results are the same numbers.
    if (const std::string kernels = process::blas_kernels(); !kernels.empty())
        ::setenv("OPENBLAS_CORETYPE", kernels.c_str(), 1);
    ::execv(program.c_str(), words.data());
    return print_error(
        {ErrorCode::unavailable, "cannot start divisi-instance", program, "install it beside divisictl"});
}

}  // namespace divisi::ctl
