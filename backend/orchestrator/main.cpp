// SPDX-License-Identifier: Apache-2.0
// divisid: the orchestrator (SMO, SRD, task queue, event log).
#include <charconv>
#include <iostream>
#include <sstream>

#include "backend/base/version.h"
#include "backend/file/atomic_file.h"
#include "backend/orchestrator/server.h"
#include "backend/process/arguments.h"
#include "backend/process/lifeline.h"
#include "backend/task/cluster_file.h"

namespace {

using namespace divisi;

constexpr const char* usage =
    "usage: divisid --data FOLDER [--listen ENDPOINT[,ENDPOINT]] [--cluster FILE] [--name NAME] [--keep-events N]\n"
    "               [--hold] [--metrics ADDRESS]\n"
    "ENDPOINT is ipc:///PATH or tcp://ADDRESS:PORT; a cluster file adds its own and the keys that it allows.\n"
    "FOLDER/connection.toml tells clients the first endpoint, FOLDER/connection-tcp.toml those on other machines\n"
    "the one on tcp. The log keeps the newest N events (default 500000). With an ipc endpoint first, this user may "
    "administer: divisictl keys add ...\n"
    "--hold: tasks that were queued before wait for 'divisictl tasks release'.\n"
    "ADDRESS is of this machine alone, as 127.0.0.1:9464: http://ADDRESS/metrics is for Prometheus. Without it there\n"
    "are no metrics.";

int fail(const Error& error) {
    std::cerr << "error: " << error.message() << std::endl;
    return 2;
}

Result<orchestrator::ServerConfig> configure(const process::Arguments& arguments) {
    orchestrator::ServerConfig config;
    if (!arguments.has("data")) return Error{ErrorCode::invalid_input, "--data is missing", "divisid", usage};
    config.data = process::absolute_path(arguments.get("data"));
    config.name = arguments.get("name", "cluster");
    config.hold = arguments.has("hold");
    if (arguments.has("cluster")) {
        const std::string file = arguments.get("cluster");
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
        config.nodes = control::stated_nodes(spec);
        config.links = control::stated_links(spec);
    }
    if (arguments.has("keep-events")) {
        const std::string text = arguments.get("keep-events");
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), config.retention.events);
        if (error != std::errc() || end != text.data() + text.size() || text.empty())
            return Error{ErrorCode::invalid_input, "'" + text + "' is no number of events", "--keep-events",
                         "name how many the log keeps, such as " + std::to_string(store::Retention{}.events)};
    }
    config.metrics = arguments.get("metrics", config.metrics);
    std::vector<std::string> endpoints;
    std::istringstream listen(arguments.get("listen"));
    for (std::string endpoint; std::getline(listen, endpoint, ',');) endpoints.push_back(endpoint);
    config.endpoints.insert(config.endpoints.begin(), endpoints.begin(), endpoints.end());
    if (config.endpoints.empty()) return Error{ErrorCode::invalid_input, "no endpoint to listen on", "divisid", usage};
    return config;
}

}  // namespace

int main(int argc, char** argv) {
    link::EventLoop loop;
    orchestrator::Server* running = nullptr;
    process::on_stop([&](const char* reason) {
        loop.post([&, reason] {
            if (running) running->end(reason);
            else loop.stop();
        });
    });
    const auto arguments = process::Arguments::parse(
        argc, argv, {"data", "listen", "cluster", "name", "keep-events", "metrics"}, {"hold", "version", "help"});
    if (!arguments) return fail(arguments.error());
    if (arguments->has("help") || arguments->has("version")) {
        std::cout << (arguments->has("help") ? usage : std::string("divisid ") + version) << std::endl;
        return 0;
    }
    auto config = configure(*arguments);
    if (!config) return fail(config.error());
    const std::string connection = config->data / "connection.toml";
    link::Context context;
    orchestrator::Server server(loop, context, std::move(*config));
    if (auto started = server.start(); !started) return fail(started.error());
    std::cout << "divisid " << version << " is up; clients connect with --connect " << connection << std::endl;
    if (!server.metrics_url().empty()) std::cout << "metrics are at " << server.metrics_url() << std::endl;
    running = &server;
    loop.run();
    return server.failure() ? fail(*server.failure()) : 0;
}
