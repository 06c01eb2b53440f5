// SPDX-License-Identifier: Apache-2.0
// divisictl plan TASK.toml: prints the plan for this machine, or the orchestrator's plan for its nodes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "backend/base/units.h"
#include "backend/control/state/pools.h"
#include "backend/control/state/stated_nodes.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/fields_json.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/ctl/training/task_input.h"
#include "backend/embed/embedded_cluster.h"
#include "backend/file/atomic_file.h"
#include "backend/onnx/skeleton.h"
#include "backend/process/command_line.h"
#include "backend/process/resources.h"
#include "backend/submit/placement.h"
#include "backend/task/parse.h"
#include "backend/task/predict_step.h"

namespace divisi::ctl {
namespace {

using nlohmann::json;

/// Time limit of a plan. Other clients may ask at the same time, and the orchestrator plans one request after another.
constexpr Duration plan_deadline = std::chrono::minutes(5);

/// A plan, and whether this program or the orchestrator computed it.
struct Planned {
    task::PricedPlan plan;
    double time_ms = 0;
    std::string nodes_of;  ///< owner of the nodes: "this machine", "cluster lab"
    std::string devices;   ///< devices in words: "cpu 2 cores", "mic-1/node-1 cpu, mic-1/node-2 cpu"
    bool in_cluster = false;
};

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

/// If the task leaves the number of stages open, prints one row for each number. A row shows how long the slowest stage
/// takes, and how much time the last added stage saves.
void print_stage_counts(const task::PricedPlan& plan) {
    if (plan.stage_counts.empty()) return;
    std::vector<std::vector<std::string>> rows;
    double most = 0;
    for (const search::StageCount& count : plan.stage_counts) most = std::max(most, count.slowest);
    for (const search::StageCount& count : plan.stage_counts) {
        const std::string share = percent(most > 0 ? count.slowest / most : 0);
        rows.push_back({std::to_string(count.stages), share, percent(count.buys)});
    }
    std::puts(
        "the task leaves the number of stages open. For each number: the time of the slowest stage, and the gain "
        "of the last added stage:");
    print_table({">STAGES", ">SLOWEST", ">BUYS"}, rows);
}

/// Prints backbone and heads of a multi-task model.
void print_parts(const task::PricedPlan& plan) {
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

/// Joins the names in their order. Names each device only once.
std::string names_of(const std::vector<std::string>& devices) {
    std::string names;
    for (auto one = devices.begin(); one != devices.end(); ++one)
        if (std::find(devices.begin(), one, *one) == one) names += (names.empty() ? "" : ", ") + *one;
    return names;
}

/// Prints a row for each stage, and one row for all data instances. The data row has the load of the busiest data
/// instance and the traffic of all data instances.
void print_stages(const Planned& planned) {
    std::vector<std::string> head{">STAGE", ">OPS", ">WORK", ">BUSY", ">BUBBLE", ">SENT ON", ">BACK", ">MEMORY"};
    if (planned.in_cluster) head.emplace_back("ON");
    head.emplace_back("ENDS AFTER");
    std::vector<std::vector<std::string>> rows;
    for (const task::PricedStage& stage : planned.plan.stages) {
        const price::PredictedStage& predicted = stage.prediction;
        rows.push_back({std::to_string(rows.size()), std::to_string(stage.operators.size()),
                        percent(predicted.flops_share), format_duration_ms(predicted.busy_ms),
                        percent(predicted.bubble), format_bytes(predicted.sent_forward),
                        format_bytes(predicted.sent_backward), format_bytes(predicted.memory)});
        if (planned.in_cluster) rows.back().push_back(predicted.device);
        rows.back().push_back(stage.end);
    }
    if (const price::PredictedData& data = planned.plan.data; !data.devices.empty()) {
        rows.push_back({"data", "", counted(static_cast<std::int64_t>(data.devices.size()), "instance"),
                        format_duration_ms(data.busy_ms), percent(data.bubble), format_bytes(data.sent), "",
                        format_bytes(data.memory)});
        if (planned.in_cluster) rows.back().push_back(names_of(data.devices));
        rows.back().emplace_back();
    }
    print_table(head, rows);
}

/// Returns a rate, for example "1.10 GB/s" for the slowest link of a path.
std::string rate(double bytes_per_s) {
    return bytes_per_s > 0 ? format_bytes(static_cast<Bytes>(bytes_per_s)) + "/s" : "unlimited";
}

std::string stage_label(std::int32_t stage) { return stage < 0 ? "data" : std::to_string(stage); }

/// Prints the paths through the mesh between stages in different MICs.
void print_paths(const task::PricedPlan& plan) {
    if (plan.paths.empty()) return;
    std::vector<std::vector<std::string>> rows;
    for (const task::PricedPath& path : plan.paths) {
        std::string devices;
        for (const std::string& device : path.devices) devices += (devices.empty() ? "" : ", ") + device;
        rows.push_back({stage_label(path.from), stage_label(path.to), devices, format_duration_ms(path.latency_ms),
                        rate(path.bytes_per_s), path.narrowest, format_duration_ms(path.tensor_ms), path.source});
    }
    std::puts("between MICs:");
    print_table({">FROM", ">TO", "PATH", ">LATENCY", ">BANDWIDTH", "NARROWEST", ">A TENSOR", "FIGURES"}, rows);
}

std::string price_source(double profiled_share, const std::string& file) {
    if (profiled_share >= 0.995) return "every operator was measured";
    const std::string rates = "FLOPs and bytes divided by device rates; measure with 'divisictl profile " + file + "'";
    return profiled_share > 0 ? percent(profiled_share) + " measured, the rest from " + rates : rates;
}

void print_plan(const task::SplitSection& split, const std::string& file, const Planned& planned) {
    const task::PricedPlan& plan = planned.plan;
    print_stage_counts(plan);
    std::printf("%s in %s by %s, plan %s\n", plan.model.c_str(),
                counted(static_cast<std::int64_t>(plan.stages.size()), "stage").c_str(), split_source(split).c_str(),
                plan.hash.c_str());
    std::printf("the slowest stage or link takes %s a micro-batch, %.1f %% above the lower bound\n",
                format_duration_ms(plan.objective_ms).c_str(), 100 * plan.gap());
    print_parts(plan);
    print_stages(planned);
    print_paths(plan);
    std::printf("predicted: %s a step on %s (%s)\n", format_duration_ms(plan.predicted_step_ms).c_str(),
                planned.nodes_of.c_str(), planned.devices.c_str());
    std::printf("prices: %s\n", price_source(plan.profiled_share, file).c_str());
    const char* const advice =
        plan.links == "default" ? "; a running cluster measures them, see 'divisictl links'" : "";
    if (!plan.links.empty()) std::printf("links: %s%s\n", plan.links.c_str(), advice);
    for (const std::string& warning : plan.warnings) std::printf("note: %s\n", warning.c_str());
}

json stage_json(const price::PredictedStage& stage) {
    json value = {{"device", stage.device},
                  {"flops", stage.flops},
                  {"flops_share", stage.flops_share},
                  {"sent_forward_bytes", stage.sent_forward},
                  {"sent_backward_bytes", stage.sent_backward},
                  {"memory_bytes", stage.memory},
                  {"busy_ms", stage.busy_ms},
                  {"bubble", stage.bubble},
                  {"profiled_share", stage.profiled_share}};
    if (stage.capacity) value["capacity_bytes"] = *stage.capacity;
    return value;
}

json plan_json(const Planned& planned) {
    const task::PricedPlan& plan = planned.plan;
    json stages = json::array(), predictions = json::array(), counts = json::array();
    for (const task::PricedStage& stage : plan.stages) {
        stages.push_back(stage.operators);
        predictions.push_back(stage_json(stage.prediction));
    }
    for (const search::StageCount& count : plan.stage_counts) counts.push_back(json(fields_json(count)));
    json value = {{"stages", stages},
                  {"cuts", plan.cuts},
                  {"predictions", predictions},
                  {"stage_counts", counts},
                  {"hash", plan.hash},
                  {"nodes_of", planned.nodes_of},
                  {"objective_ms", plan.objective_ms},
                  {"lower_bound_ms", plan.lower_bound_ms},
                  {"gap", plan.gap()},
                  {"predicted_step_ms", plan.predicted_step_ms},
                  {"profiled_share", plan.profiled_share},
                  {"links", plan.links},
                  {"time_ms", planned.time_ms}};
    if (const price::PredictedData& data = plan.data; !data.devices.empty())
        value["data"] = {{"devices", data.devices}, {"microbatch_ms", data.microbatch_ms},
                         {"busy_ms", data.busy_ms}, {"bubble", data.bubble},
                         {"sent_bytes", data.sent}, {"memory_bytes", data.memory}};
    for (const task::PricedPath& path : plan.paths) value["paths"].push_back(json(fields_json(path)));
    for (const task::PartPrediction& part : plan.parts) value["parts"].push_back(json(fields_json(part)));
    return value;
}

std::string devices_of(const task::PricedPlan& plan) {
    std::string devices;
    for (const task::PricedStage& stage : plan.stages) {
        const std::string& device = stage.prediction.device;
        if (devices.find(device) == std::string::npos) devices += (devices.empty() ? "" : ", ") + device;
    }
    return devices;
}

Result<control::ClusterState> read_cluster(const std::string& file) {
    if (file.empty()) return control::ClusterState{};
    const std::filesystem::path resources = process::resources_folder();
    const std::string sample = resources.empty() ? "" : "; an example is " + (resources / "clusters/lab.toml").string();
    DIVISI_ASSIGN(const std::string text, file::read_text(file, "cluster file", "check the path" + sample));
    DIVISI_ASSIGN(const task::ClusterSpec spec, task::parse_cluster(text, file));
    return control::assume_all_ready(spec);
}

/// Plans for the nodes of a cluster file, or for this machine.
Result<Planned> plan_here(const task::TaskSpec& spec, const TaskFileOptions& options) {
    const auto begin = std::chrono::steady_clock::now();
    DIVISI_ASSIGN(const control::ClusterState cluster, read_cluster(options.cluster));
    if (!options.cluster.empty()) DIVISI_TRY(control::check_wish(cluster, spec.place));
    task::CompileOptions compile;
    compile.devices = submit::placement_of(cluster, spec.place, embed::default_data_folder());
    WaitingLine waiting("searching for cuts (split.tabu_iterations limits the search)");
    compile.stop = [&] {
        waiting.draw();
        return false;
    };
    DIVISI_ASSIGN(const TaskInput input, read_task(options, compile));
    waiting.end();
    Planned planned;
    planned.time_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    DIVISI_ASSIGN(planned.plan, task::price_plan(input.plan, input.model, compile.devices));
    planned.in_cluster = compile.devices.complete;
    if (planned.in_cluster) {
        planned.nodes_of = "cluster " + cluster.name;
        planned.devices = devices_of(planned.plan);
        return planned;
    }
    planned.nodes_of = "this machine";
    char cores[64];
    std::snprintf(cores, sizeof cores, "%s, %g cores", spec.place.device.c_str(), compile.devices.hosts.front().cores);
    planned.devices = cores;
    return planned;
}

/// Builds the message SegmentModel from a task file.
Result<control::SegmentModel> segmentation_request(const task::TaskSpec& spec, const TaskFileOptions& options) {
    control::SegmentModel message;
    message.split = spec.split;
    task::TaskSpec rest = spec;
    rest.split = {};
    // the plan does not depend on the initial weights of the training
    if (task::begins_with_version(spec)) rest.model.from.clear();
    message.text = task::print_task(rest);
    const auto path = process::absolute_path(options.file);
    const auto model = submit::read_model(spec, path.parent_path());
    if (!model) return as_written(model.error(), options);
    if (!spec.model.zoo.empty()) return message;
    DIVISI_ASSIGN(message.skeleton, onnx::encode_skeleton(onnx::without_weights(*model)));
    return message;
}

Result<Planned> plan_in_cluster(const Target& target, const task::TaskSpec& spec, const TaskFileOptions& options) {
    DIVISI_ASSIGN(const control::SegmentModel message, segmentation_request(spec, options));
    DIVISI_ASSIGN(const auto session, Session::open(target));
    DIVISI_TRY(session->wait_for_members());
    auto answer = session->ask<control::ModelSegmented>(message, plan_deadline);
    if (!answer) return as_written(answer.error(), options);
    Planned planned{std::move(answer->plan), answer->time_ms, "cluster " + answer->cluster, "", true};
    planned.devices = devices_of(planned.plan);
    return planned;
}

}  // namespace

int plan_task(const Common& common, const TaskFileOptions& options) {
    const auto spec = read_spec(options);
    if (!spec) return print_error(spec.error());
    const bool runs = !common.target.connection.empty() || embed::cluster_runs(embed::default_data_folder());
    const bool asks = runs && options.cluster.empty();
    const auto planned = asks ? plan_in_cluster(common.target, *spec, options) : plan_here(*spec, options);
    if (!planned) return print_error(planned.error());
    if (common.json) std::puts(plan_json(*planned).dump(-1, ' ', false, json::error_handler_t::replace).c_str());
    else print_plan(spec->split, options.file, *planned);
    return 0;
}

}  // namespace divisi::ctl
