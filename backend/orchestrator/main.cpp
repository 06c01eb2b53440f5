// SPDX-License-Identifier: Apache-2.0
// divisid: the orchestrator (SMO, SRD, task queue, event log).
#include <CLI/CLI.hpp>
#include <iostream>

#include "backend/base/version.h"
#include "backend/control/state/pools.h"
#include "backend/control/state/stated_policies.h"
#include "backend/file/atomic_file.h"
#include "backend/orchestrator/server.h"
#include "backend/process/command_line.h"
#include "backend/process/lifeline.h"
#include "backend/process/open_files.h"
#include "backend/store/backup.h"
#include "backend/task/cluster_file.h"

namespace {

using namespace divisi;

struct Options {
    std::string data, cluster, name = "cluster", metrics, restore;
    std::vector<std::string> endpoints;
    std::uint64_t keep_events = store::Retention{}.events, keep_lines = store::LineRetention{}.lines;
    bool hold = false, allow_faults = false;
};

void describe(CLI::App& app, Options& options) {
    app.set_version_flag("--version", std::string("divisid ") + version);
    app.add_option("--data", options.data, "folder of the log, the models and connection.toml, which tells clients")
        ->required();
    app.add_option("--listen", options.endpoints, "ipc:///PATH or tcp://ADDRESS:PORT; separate several by commas")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--cluster", options.cluster, "cluster file, which adds its endpoint and the keys that it allows");
    app.add_option("--name", options.name, "name of the cluster, if no cluster file names it");
    app.add_option("--keep-events", options.keep_events, "number of events that the log keeps")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--restore", options.restore,
                   "restore this backup (divisictl backup) first; the data folder must be empty");
    app.add_option("--keep-lines", options.keep_lines, "number of log lines of processes to keep, at most 64 MiB")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_flag("--hold", options.hold, "hold queued tasks of an earlier run until 'divisictl tasks release'");
    app.add_flag("--allow-faults", options.allow_faults,
                 "let operators inject faults with 'divisictl fault', for demonstrations");
    app.add_option("--metrics", options.metrics, metrics::option_help);
    app.footer(
        "Clients connect with --connect DATA/connection.toml, which names the first endpoint; other machines\n"
        "use DATA/connection-tcp.toml. If the first endpoint is ipc, this user is admin: divisictl keys add ...");
}

Result<void> add_cluster_file(const std::string& file, orchestrator::ServerConfig& config) {
    DIVISI_ASSIGN(const std::string text, file::read_text(file, "cluster file", "check the path"));
    DIVISI_ASSIGN(const task::ClusterSpec spec, task::parse_cluster(text, file));
    config.name = spec.name;
    config.metrics = spec.metrics;
    config.endpoints.push_back(spec.orchestrator);
    for (const task::AllowedKey& key : spec.keys)
        config.keys.push_back({key.public_key, key.name, *control::parse_role(key.role), false});
    for (const task::ClusterMic& mic : spec.mics)
        for (const task::ClusterNode& node : mic.nodes) {
            const std::string name = mic.name + "/" + node.name;
            if (!node.key.empty()) config.keys.push_back({node.key, name, control::Role::agent, false});
        }
    for (const task::ClusterDevice* device : spec.devices())
        if (!device->key.empty()) config.keys.push_back({device->key, device->name, control::Role::agent, false});
    for (const task::ClusterModule& module : spec.modules)
        if (!module.key.empty()) config.keys.push_back({module.key, module.name, control::Role::module, false});
    config.nodes = control::stated_nodes(spec);
    config.links = control::stated_links(spec);
    config.pools = control::stated_pools(spec);
    config.queue = control::stated_queue(spec);
    config.alerts = spec.alerts;
    DIVISI_ASSIGN(config.policies, control::stated_policies(spec));
    return {};
}

Result<orchestrator::ServerConfig> configure(const Options& options) {
    orchestrator::ServerConfig config;
    config.data = process::absolute_path(options.data);
    config.name = options.name;
    config.hold = options.hold;
    config.allow_faults = options.allow_faults;
    config.endpoints = options.endpoints;
    config.retention.events = options.keep_events;
    config.lines.lines = options.keep_lines;
    if (!options.cluster.empty()) DIVISI_TRY(add_cluster_file(options.cluster, config));
    if (!options.metrics.empty()) config.metrics = options.metrics;
    if (config.endpoints.empty())
        return Error{ErrorCode::invalid_input, "no endpoint to listen on", "divisid", "give --listen or --cluster"};
    return config;
}

Result<void> restore(const Options& options, const std::filesystem::path& data) {
    if (options.restore.empty()) return {};
    DIVISI_ASSIGN(const auto backup, store::restore_backup(process::absolute_path(options.restore), data));
    std::cout << "restored the state of event " << backup.sequence << " from " << options.restore << std::endl;
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    process::allow_open_files();
    link::EventLoop loop;
    orchestrator::Server* running = nullptr;
    process::on_stop([&](const char* reason) {
        loop.post([&, reason] {
            if (running) running->end(reason);
            else loop.stop();
        });
    });
    Options options;
    CLI::App app("The orchestrator of a cluster: tasks, plans, registry, event log", "divisid");
    describe(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    auto config = configure(options);
    if (!config) return process::report_error(config.error());
    if (const auto restored = restore(options, config->data); !restored) return process::report_error(restored.error());
    const std::string connection = config->data / "connection.toml";
    link::Context context;
    orchestrator::Server server(loop, context, std::move(*config));
    if (auto started = server.start(); !started) return process::report_error(started.error());
    std::cout << "divisid " << version << " is up; clients connect with --connect " << connection << std::endl;
    if (!server.metrics_url().empty()) std::cout << "metrics are at " << server.metrics_url() << std::endl;
    running = &server;
    loop.run();
    return server.failure() ? process::report_error(*server.failure()) : 0;
}
