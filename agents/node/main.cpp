// SPDX-License-Identifier: Apache-2.0
// divisi-node: the node agent, the draft's DPU. One per machine.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <utility>

#include "agents/node/blob_host.h"
#include "agents/node/driver.h"
#include "agents/node/machine.h"
#include "backend/base/hash.h"
#include "backend/base/version.h"
#include "backend/file/folder.h"
#include "backend/file/folder_lock.h"
#include "backend/metrics/metrics_server.h"
#include "backend/metrics/target_file.h"
#include "backend/process/command_line.h"
#include "backend/process/lifeline.h"
#include "backend/task/cluster_file.h"

namespace {

using namespace divisi;

constexpr double gib = Bytes{1} << 30, day_s = 24 * 3600;
constexpr int most_gib = 1'000'000;  ///< a petabyte
constexpr int most_days = 36'500;    ///< a hundred years; 64-bit nanoseconds reach 292 years

struct Options {
    std::string connect, name, data, listen, runtime, keys, metrics;
    bool metrics_instances = false;
    double blob_gib = static_cast<double>(store::BlobLimits{}.most) / gib;
    double blob_days = to_ms(store::BlobLimits{}.age) / 1000 / day_s;
};

/// Returns a check for numbers up to `most`; CLI::Range accepts text that is no number.
auto amount_up_to(int most) {
    return [most](const std::string& text) -> std::string {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (!text.empty() && *end == '\0' && value >= 0 && value <= most) return "";
        return "'" + text + "' is no number from 0 to " + std::to_string(most);
    };
}

void describe(CLI::App& app, Options& options) {
    app.set_version_flag("--version", std::string("divisi-node ") + divisi::version);
    app.add_option("--connect", options.connect, "the connection file that divisid wrote")->required();
    app.add_option("--name", options.name, "MIC/NODE, such as mic-1/node-2")->required();
    app.add_option("--data", options.data, "folder of the node's key, files and states")->required();
    app.add_option("--listen", options.listen, "on tcp: this machine's address as the other nodes reach it");
    app.add_option("--runtime", options.runtime, "on ipc: folder of the sockets (default: the orchestrator's)");
    app.add_option("--keys", options.keys, "key file (default: DATA/node.key)");
    app.add_option("--blob-gib", options.blob_gib, "how many GiB of files the node keeps that no task needs any more")
        ->check(amount_up_to(most_gib))
        ->capture_default_str();
    app.add_option("--blob-days", options.blob_days, "for how many days after their last use it keeps them")
        ->check(amount_up_to(most_days))
        ->capture_default_str();
    app.add_option("--metrics", options.metrics, metrics::option_help);
    app.add_flag("--metrics-instances", options.metrics_instances,
                 "each instance serves its own metrics on this machine alone, at a port that the system chooses; "
                 "DATA/metrics/*.json name them as file_sd_configs of Prometheus read them");
    app.footer(
        "On tcp the node's public key, which it prints, must be allowed as an agent: in the cluster file, or by\n"
        "divisictl keys add.");
}

int fail(const Error& error) {
    std::cerr << "error: " << error.message() << std::endl;
    return 2;
}

/// Returns the address for instances' data sockets: the node's folder on ipc, the host of its endpoint on tcp.
Result<std::string> listen_address(const Options& options, bool ipc) {
    if (!options.listen.empty()) return options.listen;
    if (ipc) return options.runtime;
    return Error{ErrorCode::invalid_input, "a node on tcp needs the address on which its instances take data",
                 "--listen", "give --listen ADDRESS, an address of this machine that the other nodes reach"};
}

/// Locks and empties the folder where instances name their metrics ports; returns none if metrics are off. Files left
/// by a killed node may name ports that are closed or used by another program. The lock protects the files of a running
/// node.
Result<std::optional<file::FolderLock>> claim_targets(const std::filesystem::path& folder) {
    if (folder.empty()) return std::optional<file::FolderLock>();
    DIVISI_ASSIGN(file::FolderLock claim, file::FolderLock::take(folder));
    DIVISI_TRY(file::make_writable(folder, 1));
    metrics::remove_targets(folder);
    return std::optional(std::move(claim));
}

Result<node::DriverConfig> configure(const Options& options) {
    node::DriverConfig config;
    config.info = node::describe_machine();
    config.connection_file = process::absolute_path(options.connect);
    DIVISI_ASSIGN(config.orchestrator, link::read_connection(config.connection_file));
    const std::string& name = options.name;
    const auto slash = name.find('/');
    if (slash == std::string::npos || slash == 0 || slash + 1 == name.size())
        return Error{ErrorCode::invalid_input, "'" + name + "' is not MIC/NODE", "--name", "write e.g. mic-1/node-2"};
    config.info.id = NodeId(name);
    config.info.mic = MicId(name.substr(0, slash));
    config.data = process::absolute_path(options.data);
    config.blobs = config.data / "blobs";
    DIVISI_TRY(file::make_writable(config.data, 1));
    if (options.metrics_instances) config.metrics = config.data / "metrics";
    const bool ipc = link::is_ipc(config.orchestrator.endpoint);
    if (!ipc) {
        config.keys = options.keys.empty() ? config.data / "node.key" : std::filesystem::path(options.keys);
        DIVISI_ASSIGN(config.security.keys, link::load_or_make_keys(config.keys));
    }
    DIVISI_ASSIGN(config.listen, listen_address(options, ipc));
    if (ipc) {
        if (config.listen.empty())
            config.listen = std::filesystem::path(config.orchestrator.endpoint.substr(6)).parent_path();
        DIVISI_TRY(link::make_private_folder(config.listen));
    }
    return config;
}

store::BlobLimits blob_limits(const Options& options) {
    store::BlobLimits limits;
    limits.most = static_cast<Bytes>(options.blob_gib * gib);
    limits.age = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(options.blob_days * day_s));
    return limits;
}

/// Starts the blob store, to which clients upload data and models and from which they fetch weights. The orchestrator
/// tells them its endpoint.
Result<std::unique_ptr<node::BlobHost>> host_blobs(link::Context& context, node::DriverConfig& config,
                                                   const store::BlobLimits& limits) {
    std::string endpoint = "tcp://" + config.listen + ":0";
    if (link::is_ipc(config.orchestrator.endpoint)) {
        char name[24];
        std::snprintf(name, sizeof name, "b-%016llx", static_cast<unsigned long long>(fnv1a(config.info.id.value())));
        endpoint = "ipc://" + config.listen + "/" + name;
    } else {
        config.info.blob_key = config.security.keys->public_key;
    }
    DIVISI_ASSIGN(auto host, node::BlobHost::start(context, config.blobs, endpoint, config.security.keys, limits));
    config.info.blob_endpoint = host->endpoint();
    return host;
}

}  // namespace

int main(int argc, char** argv) {
    link::EventLoop loop;
    node::Driver* running = nullptr;
    process::on_stop([&](const char*) {
        loop.post([&] {
            if (running) running->terminate();
            else loop.stop();
        });
    });
    Options options;
    CLI::App app("The node agent, one per machine: starts, watches and stops instances", "divisi-node");
    describe(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    auto config = configure(options);
    if (!config) return fail(config.error());
    const auto claim = claim_targets(config->metrics);  // held until this node has ended
    if (!claim) return fail(claim.error());
    if (config->security.keys)
        std::cerr << "public key " << config->security.keys->public_key << "\n"
                  << "unless it is allowed already: divisictl keys add '" << config->security.keys->public_key
                  << "' --name " << config->info.id.value() << " --role agent --connect FILE" << std::endl;
    link::Context context;
    const auto blobs = host_blobs(context, *config, blob_limits(options));
    if (!blobs) return fail(blobs.error());
    metrics::Board board;
    const auto served = metrics::serve(board, options.metrics);
    if (!served) return fail(served.error());
    const std::filesystem::path targets = config->metrics;
    node::Driver driver(loop, context, **blobs, std::move(*config));
    if (*served) {
        std::cout << "metrics are at " << (*served)->url() << std::endl;
        driver.show_on(board);
    }
    if (!targets.empty()) std::cout << "metrics of instances are named in " << targets.string() << std::endl;
    running = &driver;
    driver.start();
    loop.run();
    if (driver.failure()) return fail(*driver.failure());
    return driver.dismissed() ? process::exit_dismissed : 0;
}
