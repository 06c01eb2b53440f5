// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/profile.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "agents/instance/trial.h"
#include "backend/base/units.h"
#include "backend/graph/roles.h"
#include "backend/onnx/import.h"
#include "backend/process/gpus.h"
#include "backend/store/profile_store.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "backend/task/validate.h"

namespace divisi::instance {
namespace {

using graph::Graph;
using graph::NodeIndex;

constexpr int warm_up_runs = 3;
constexpr int least_runs = 11;              ///< quartiles of fewer say little
constexpr double seconds_for_one = 0.12;    ///< of measuring one part of an operator, unless least_runs take longer
constexpr double most_copied_bytes = 96e6;  ///< what the copies of one trial may read and write
constexpr std::int64_t most_copies = 8;

/// Times of runs with one copy and with several.
struct Samples {
    std::vector<double> one, several;
    std::int64_t copies = 1;
};

double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

/// Seconds of one operator: what each further copy adds.
plan::MeasuredTime per_copy(const Samples& samples) {
    const double one = quantile(samples.one, 0.5), several = quantile(samples.several, 0.5);
    const auto copies = static_cast<double>(samples.copies);
    const double spread = (quantile(samples.several, 0.75) - quantile(samples.several, 0.25)) / copies;
    if (samples.copies == 1) return {one, spread};
    const double added = (several - one) / (copies - 1);
    return {added > 0 ? added : several / copies, spread};  // a difference below the noise
}

struct Timed {
    plan::MeasuredTime forward, backward;
};

Result<Timed> measure(const Graph& graph, NodeIndex node, const std::vector<bool>& gradient, std::int64_t copies,
                      TrialParts parts, const std::string& device, int threads) {
    DIVISI_ASSIGN(Trial one, Trial::make(graph, node, gradient, 1, parts, device, threads));
    DIVISI_ASSIGN(Trial several, Trial::make(graph, node, gradient, copies, parts, device, threads));
    for (int i = 0; i < warm_up_runs; ++i) {
        DIVISI_TRY(one.run());
        DIVISI_TRY(several.run());
    }
    Samples forward, backward;
    forward.copies = backward.copies = copies;
    double spent = 0;
    for (int i = 0; i < least_runs || (spent < seconds_for_one && i < 10 * least_runs); ++i) {
        DIVISI_ASSIGN(const TrialTimes first, one.run());
        DIVISI_ASSIGN(const TrialTimes second, several.run());
        forward.one.push_back(first.forward);
        backward.one.push_back(first.backward);
        forward.several.push_back(second.forward);
        backward.several.push_back(second.backward);
        spent += 2 * (first.forward + first.backward + second.forward + second.backward);
    }
    return Timed{per_copy(forward), per_copy(backward)};
}

/// As many copies as fit a bounded amount of memory, so that their data are as cold as in a model.
std::int64_t copies_of(const Graph& graph, const graph::Node& node) {
    double bytes = 1;
    for (const auto* values : {&node.inputs, &node.outputs})
        for (const graph::ValueIndex value : *values)
            if (value != graph::no_value)
                bytes +=
                    static_cast<double>(graph::size_bytes(graph.values[static_cast<std::size_t>(value)]).value_or(0));
    return std::clamp(static_cast<std::int64_t>(most_copied_bytes / bytes), std::int64_t{2}, most_copies);
}

bool wants(const Graph& graph, const graph::Node& node, const std::vector<bool>& gradient, bool weights) {
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](graph::ValueIndex value) {
        return value != graph::no_value && gradient[static_cast<std::size_t>(value)] &&
               graph.is_initializer(value) == weights;
    });
}

/// The model to measure, with its loss where the task or its first output allows one.
Result<Graph> load(const ProfileOptions& options) {
    task::TaskSpec spec;
    std::string folder = std::filesystem::current_path();
    if (options.model.ends_with(".toml")) {
        std::ifstream stream(options.model, std::ios::binary);
        if (!stream || std::filesystem::is_directory(options.model))
            return Error{ErrorCode::not_found, "cannot read the task file", options.model, "check the path"};
        std::ostringstream text;
        text << stream.rdbuf();
        folder = std::filesystem::absolute(options.model).parent_path();
        DIVISI_ASSIGN(spec, task::parse_task(text.str(), options.model, options.settings));
    } else {
        spec.train.batch = 1;
        if (options.model.starts_with("zoo:")) spec.model.zoo = options.model.substr(4);
        else spec.model.onnx = std::filesystem::absolute(options.model);
        spec.data.kind = "synthetic";
        spec.data.samples = 1;
        DIVISI_ASSIGN(spec, task::apply_overrides(spec, options.settings));
    }
    DIVISI_ASSIGN(const Graph model, task::load_model(spec, [&] {
                      onnx::ImportOptions import;
                      import.frozen = spec.model.frozen;
                      import.infer_shapes = false;
                      return onnx::import_model(task::resolve_path(folder, spec.model.onnx), import);
                  }));
    DIVISI_ASSIGN(plan::BranchedModel trained, task::trained_model(spec, model));
    auto training = task::add_loss(spec, trained.graph);
    if (training.ok()) return std::move(training->graph);
    if (options.model.ends_with(".toml")) return std::move(training).error();
    return std::move(trained.graph);  // a model by itself need not fit our losses
}

/// Nodes to measure: the first of each distinct operator that does something.
std::map<std::string, NodeIndex> distinct_operators(const Graph& graph, const std::vector<bool>& gradient) {
    const std::vector<graph::Role> roles = graph::node_roles(graph);
    std::map<std::string, NodeIndex> found;
    for (NodeIndex node = 0; node < static_cast<NodeIndex>(graph.nodes.size()); ++node)
        if (roles[static_cast<std::size_t>(node)] > graph::Role::shape)
            found.emplace(plan::operator_key(graph, node, gradient), node);
    return found;
}

void print_one(std::ostream& out, bool json, const std::string& key, const plan::OperatorProfile& times) {
    if (json) {
        const auto pair = [](const plan::MeasuredTime& time) {
            return nlohmann::ordered_json{{"ms", time.seconds * 1e3}, {"spread_ms", time.spread * 1e3}};
        };
        out << nlohmann::ordered_json{{"event", "operator"},
                                      {"operator", key},
                                      {"forward", pair(times.forward)},
                                      {"input_gradient", pair(times.input_gradient)},
                                      {"weight_gradient", pair(times.weight_gradient)}}
                   .dump()
            << std::endl;
        return;
    }
    char line[64];
    std::snprintf(line, sizeof line, "%10.1f %10.1f %10.1f  ", times.forward.seconds * 1e6,
                  times.input_gradient.seconds * 1e6, times.weight_gradient.seconds * 1e6);
    out << line << key << std::endl;
}

/// How many were measured, and how many of the model's are in the store.
struct Totals {
    std::size_t measured = 0, distinct = 0;
    std::string device_type;
};

Result<Totals> measure_model(const ProfileOptions& options, std::ostream& out) {
    DIVISI_ASSIGN(const Graph graph, load(options));
    const std::vector<bool> gradient = graph::needs_gradient(graph);
    DIVISI_ASSIGN(const auto store, store::ProfileStore::open(options.store));
    const std::string type = process::device_type(options.device);
    DIVISI_ASSIGN(plan::DeviceProfile known, store->load(type, options.threads));
    if (options.again || known.rates.product_flops_per_s == 0) {
        DIVISI_ASSIGN(known.rates, measure_rates(options.device, options.threads));
        plan::DeviceProfile rates{type, known.rates, {}};
        DIVISI_TRY(store->save(rates, options.threads));
    }
    const auto distinct = distinct_operators(graph, gradient);
    Totals totals{0, distinct.size(), type};
    if (!options.json) out << "   FORWARD      INPUT     WEIGHT  us, OPERATOR" << std::endl;
    for (const auto& [key, node] : distinct) {
        if (!options.again && known.operators.contains(key)) continue;
        DIVISI_ASSIGN(const plan::OperatorProfile times,
                      measure_operator(graph, node, gradient, options.device, options.threads));
        plan::DeviceProfile one{type, {}, {{key, times}}};
        DIVISI_TRY(store->save(one, options.threads));
        print_one(out, options.json, key, times);
        ++totals.measured;
    }
    return totals;
}

/// A graph of one operator on fresh inputs.
Graph one_operator(const std::string& type, const std::vector<graph::Shape>& shapes, const graph::Shape& result) {
    Graph graph;
    graph::Node node;
    node.name = "/" + type;
    node.op_type = type;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        graph.inputs.push_back(graph.add_value("input" + std::to_string(i), graph::DType::float32, shapes[i]));
        node.inputs.push_back(graph.inputs.back());
    }
    node.outputs = {graph.add_value("output", graph::DType::float32, result)};
    graph.outputs = node.outputs;
    graph.add_node(std::move(node));
    return graph;
}

}  // namespace

Result<plan::OperatorProfile> measure_operator(const Graph& graph, NodeIndex index, const std::vector<bool>& gradient,
                                               const std::string& device, int threads) {
    const graph::Node& node = graph.nodes[static_cast<std::size_t>(index)];
    const std::int64_t copies = copies_of(graph, node);
    const bool inputs = wants(graph, node, gradient, false), weights = wants(graph, node, gradient, true);
    DIVISI_ASSIGN(const Timed all, measure(graph, index, gradient, copies, {inputs, weights}, device, threads));
    plan::OperatorProfile profile;
    profile.forward = all.forward;
    if (inputs != weights) (inputs ? profile.input_gradient : profile.weight_gradient) = all.backward;
    if (inputs && weights) {
        DIVISI_ASSIGN(const Timed half, measure(graph, index, gradient, copies, {true, false}, device, threads));
        profile.input_gradient = half.backward;
        profile.weight_gradient = {std::max(all.backward.seconds - half.backward.seconds, 0.0), all.backward.spread};
        // Both together are what a training runs; their sum is what was measured.
        profile.input_gradient.seconds = std::min(half.backward.seconds, all.backward.seconds);
    }
    return profile;
}

Result<plan::DeviceRates> measure_rates(const std::string& device, int threads) {
    constexpr std::int64_t side = 512, long_side = 4 << 20;  // a product beyond the caches, a sum beyond them
    const auto time = [&](const Graph& graph) -> Result<double> {
        const std::vector<bool> none(graph.values.size(), false);
        DIVISI_ASSIGN(const Timed timed,
                      measure(graph, 0, none, copies_of(graph, graph.nodes[0]), {}, device, threads));
        return timed.forward.seconds;
    };
    const graph::Shape square{{side, ""}, {side, ""}}, line{{long_side, ""}}, little{{1, ""}};
    DIVISI_ASSIGN(const double product, time(one_operator("MatMul", {square, square}, square)));
    DIVISI_ASSIGN(const double sum, time(one_operator("Add", {line, line}, line)));
    DIVISI_ASSIGN(const double exponential, time(one_operator("Tanh", {line}, line)));
    DIVISI_ASSIGN(const double tiny, time(one_operator("Add", {little, little}, little)));
    plan::DeviceRates rates;
    constexpr double tanh_flops = 4;  // as graph/cost.cpp counts them
    rates.product_flops_per_s = 2.0 * side * side * side / product;
    rates.bytes_per_s = 3.0 * sizeof(float) * long_side / sum;
    rates.other_flops_per_s = tanh_flops * long_side / exponential;
    rates.dispatch_s = tiny;
    return rates;
}

int run_profile(const ProfileOptions& options, std::ostream& out, std::ostream& err) {
    const auto totals = measure_model(options, out);
    if (!totals) {
        err << "error: " << totals.error().message() << std::endl;
        const ErrorCode code = totals.error().code;
        return code == ErrorCode::invalid_input || code == ErrorCode::unsupported ? 2 : 1;
    }
    if (options.json)
        out << nlohmann::ordered_json{{"event", "end"},
                                      {"device_type", totals->device_type},
                                      {"threads", options.threads},
                                      {"measured", totals->measured},
                                      {"distinct", totals->distinct},
                                      {"store", options.store}}
                   .dump()
            << std::endl;
    else
        out << totals->measured << " of " << totals->distinct << " distinct operators measured on "
            << totals->device_type << ", " << options.threads << " thread" << (options.threads == 1 ? "" : "s")
            << "; kept in " << options.store << std::endl;
    return 0;
}

}  // namespace divisi::instance
