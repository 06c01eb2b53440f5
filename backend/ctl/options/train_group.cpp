// SPDX-License-Identifier: Apache-2.0
// Adds the commands of the group "Train": run, reference, cluster.
#include "backend/ctl/options/groups.h"

namespace divisi::ctl {
namespace {

std::vector<std::string> reference_arguments(const CommandLine& line) {
    std::vector<std::string> arguments{"reference", line.task_file.file};
    for (const std::string& setting : line.task_file.settings) {
        arguments.push_back("--set");
        arguments.push_back(setting);
    }
    if (!line.task_file.from.empty()) {
        arguments.push_back("--from");
        arguments.push_back(line.task_file.from);
    }
    if (line.common.json) arguments.push_back("--json");
    return arguments;
}

void add_run(CLI::App& app, CommandLine& line) {
    auto* run = add_command(app, line, "run", "submit a task and follow it to its end", [&] {
        if (line.wait_s) line.common.target.patience = std::chrono::seconds(*line.wait_s);
        return run_task(line.common, line.task_file);
    });
    add_task_file_options(run, line);
    add_cluster_options(run, line);
    run->add_option("--wait", line.wait_s,
                    "give up if the orchestrator is away for this number of seconds (default: never)")
        ->check(CLI::Range(1, 1'000'000));
    run->add_option("--from", line.task_file.from,
                    "start with the weights of this version of the model: its number, its task or its hash");
    auto* reference = add_command(app, line, "reference", "train a task unsplit in one process",
                                  [&] { return exec_instance(reference_arguments(line)); });
    add_task_file_options(reference, line);
    reference->add_option("--from", line.task_file.from,
                          "start with the weights of this ONNX file, written by 'model export'");
}

/// Adds the commands for clusters of several machines, described by one file.
void add_hosts(CLI::App& cluster, CommandLine& line) {
    const auto add_host_options = [&](CLI::App* app) {
        app->add_option("CLUSTER.toml", line.host.file, "cluster file, the same on every host")->required();
        app->add_option("--host", line.host.host, "this machine's name in the file (default: its host name)");
        app->add_option("--data", line.host.data, "folder for keys, logs and states");
    };
    add_host_options(add_command(cluster, line, "start", "run this machine's part of a cluster file, until Ctrl+C",
                                 [&] { return cluster_start(line.common, line.host); }));
    add_host_options(add_command(cluster, line, "keys", "make the keys of this machine's part of a cluster file",
                                 [&] { return cluster_keys(line.common, line.host); }));
}

void add_cluster(CLI::App& app, CommandLine& line) {
    CLI::App* cluster =
        app.add_subcommand("cluster", "manage the cluster of this machine, or this machine's part of a cluster file");
    cluster->require_subcommand(1);
    add_command(*cluster, line, "up", "start the cluster of this machine in the background", [&] {
        return cluster_up(line.common, line.output);
    })->add_option("--restore", line.output, "backup to restore first; the data folder must be empty");
    add_cluster_options(
        add_command(*cluster, line, "down", "end the cluster", [&] { return cluster_down(line.common); }), line);
    add_cluster_options(add_command(*cluster, line, "status", "show the nodes of the cluster and their state",
                                    [&] { return cluster_status(line.common); }),
                        line);
    add_command(*cluster, line, "host", "", [] { return cluster_host(); })->group("");
    add_hosts(*cluster, line);
}

}  // namespace

void add_train_group(CLI::App& app, CommandLine& line) {
    add_run(app, line);
    add_cluster(app, line);
}

}  // namespace divisi::ctl
