// SPDX-License-Identifier: Apache-2.0
// Adds the commands of the group "Look at a model and its cuts": model, profile, plan.
#include "backend/ctl/options/groups.h"

namespace divisi::ctl {
namespace {

std::vector<std::string> conformance_arguments(const CommandLine& line) {
    std::vector<std::string> arguments{"conformance", line.name, "--timeout", std::to_string(line.timeout_s)};
    if (line.common.json) arguments.push_back("--json");
    return arguments;
}

std::vector<std::string> profile_arguments(const CommandLine& line) {
    std::vector<std::string> arguments{"profile",   line.name,      "--device",
                                       line.device, "--threads",    std::to_string(line.threads),
                                       "--store",   profile_store()};
    for (const std::string& setting : line.settings) {
        arguments.push_back("--set");
        arguments.push_back(setting);
    }
    if (line.again) arguments.push_back("--again");
    if (line.common.json) arguments.push_back("--json");
    return arguments;
}

void add_model(CLI::App& app, CommandLine& line) {
    CLI::App* model = app.add_subcommand("model", "show a model, export a trained model, or test ONNX models");
    model->require_subcommand(1);
    auto* info = add_command(*model, line, "info", "show the graph, shapes, FLOPs and legal cuts of a model",
                             [&] { return model_info(line.common, line.name, line.settings, line.operators); });
    info->add_option("MODEL", line.name, "zoo:NAME or FILE.onnx")->required();
    info->add_option("--set", line.settings,
                     "override a size, such as model.layers=6 or train.batch=8; may be repeated")
        ->allow_extra_args(false);
    info->add_flag("--operators", line.operators, "also list every operator by name, for segments, pins and cuts");
    auto* export_model = add_command(*model, line, "export", "write a trained model as ONNX",
                                     [&] { return model_export(line.common, line.name, line.output); });
    export_model->add_option("TASK", line.name, "task id or name, or a version that 'models' lists")->required();
    export_model->add_option("OUT.onnx", line.output, "file to write")->required();
    add_cluster_options(export_model, line);
    auto* conformance = add_command(*model, line, "conformance", "run a folder of ONNX test cases through the executor",
                                    [&] { return exec_instance(conformance_arguments(line)); });
    conformance->add_option("DIR", line.name, "folder with model.onnx and test_data_set_* below it")->required();
    conformance->add_option("--timeout", line.timeout_s, "time limit of each test case, in seconds")
        ->capture_default_str();
}

void add_profile(CLI::App& app, CommandLine& line) {
    auto* profile = add_command(app, line, "profile", "measure each distinct operator of a model once",
                                [&] { return exec_instance(profile_arguments(line)); });
    profile->add_option("MODEL", line.name, "zoo:NAME, FILE.onnx, or TASK.toml to also use its batch and loss")
        ->required();
    profile->add_option("--device", line.device, "device to measure: cpu, cuda or cuda:NUMBER")->capture_default_str();
    profile->add_option("--threads", line.threads, "threads of each instance")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    add_setting_options(profile, line);
    profile->add_flag("--again", line.again, "measure known operators again");
}

/// Returns a check that rejects text that is not a `Number`; `next` tells the user what to enter.
template <typename Number>
std::function<std::string(const std::string&)> a_number(const std::string& next) {
    return [next](const std::string& text) {
        Number number{};
        return CLI::detail::lexical_cast(text, number) && !text.empty() ? ""
                                                                        : "'" + text + "' is not a number; " + next;
    };
}

void add_plan(CLI::App& app, CommandLine& line) {
    const auto action = [&line] {
        return line.profile.file.empty() ? plan_task(line.common, line.task_file)
                                         : plan_profile(line.common, line.profile);
    };
    auto* plan = add_command(app, line, "plan",
                             "show the stages of a task and their cost, or the best stages of a profile", action);
    auto* task = plan->add_option("TASK.toml", line.task_file.file, "task file");
    auto* set = plan->add_option("--set", line.task_file.settings,
                                 "override a value of the task: section.key=value; may be repeated")
                    ->allow_extra_args(false);
    plan->add_option("--cluster", line.task_file.cluster, "cluster file with the nodes to plan for")->needs(task);
    auto* profile = plan->add_option("--profile", line.profile.file,
                                     "profile in PipeDream's text format to plan for, instead of a task")
                        ->excludes(task)
                        ->excludes(set);
    plan->add_option("--stages", line.profile.stages, "maximum number of stages")
        ->needs(profile)
        ->check(a_number<std::int64_t>("give the maximum number of stages, such as 4"));
    plan->add_option("--connect", line.common.target.connection,
                     "connection file of the cluster with the nodes to plan for (default: your running cluster, "
                     "otherwise this machine)")
        ->excludes(profile);
    plan->add_option("--keys", line.common.target.keys, "key file for a cluster on TCP")->excludes(profile);
    plan->add_option("--bandwidth", line.profile.bandwidth, "bytes/s of each link (default: links cost no time)")
        ->needs(profile)
        ->check(a_number<double>("give bytes/s, such as 1e9, or omit it if links cost no time"));
    plan->callback([&line, action] {
        if (line.task_file.file.empty() && line.profile.file.empty())
            throw CLI::RequiredError("TASK.toml or --profile");
        line.action = action;
    });
}

}  // namespace

void add_model_group(CLI::App& app, CommandLine& line) {
    add_model(app, line);
    add_profile(app, line);
    add_plan(app, line);
}

}  // namespace divisi::ctl
