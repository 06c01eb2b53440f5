// SPDX-License-Identifier: Apache-2.0
// divisi-node: the node agent, the draft's DPU. One per machine.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include "agents/launch/program.h"
#include "agents/node/blob_host.h"
#include "agents/node/driver.h"
#include "agents/node/machine_meter.h"
#include "backend/base/hash.h"
#include "backend/file/folder.h"
#include "backend/file/folder_lock.h"
#include "backend/metrics/metrics_server.h"
#include "backend/process/command_line.h"
#include "backend/task/cluster_file.h"

namespace {

using namespace divisi;

constexpr double gib = Bytes{1} << 30, day_s = 24 * 3600;
constexpr int most_gib = 1'000'000;  ///< upper limit of options in GiB: a petabyte
constexpr int most_days = 36'500;    ///< upper limit of options in days: a hundred years; 64-bit nanoseconds reach 292
                                     ///< years

/// Options of a node besides launch::Options.
struct NodeOptions {
    std::string data, listen, runtime;
    bool metrics_instances = false;
    double blob_gib = static_cast<double>(store::BlobLimits{}.most) / gib;
    double blob_days = to_ms(store::BlobLimits{}.age) / 1000 / day_s;
};

/// Returns a check for numbers up to `most`. It is needed because CLI::Range also accepts text that is not a number.
auto amount_up_to(int most) {
    return [most](const std::string& text) -> std::string {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (!text.empty() && *end == '\0' && value >= 0 && value <= most) return "";
        return "'" + text + "' is not a number from 0 to " + std::to_string(most);
    };
}

void describe(CLI::App& app, launch::Options& common, NodeOptions& options) {
    app.add_option("--data", options.data, "folder of the node's key, files and states")->required();
    app.add_option("--listen", options.listen, "on tcp: address of this machine to which other nodes connect");
    app.add_option("--runtime", options.runtime, "on ipc: folder of the sockets (default: the orchestrator's)");
    app.add_option("--keys", common.keys, "key file (default: DATA/node.key)");
    app.add_option("--blob-gib", options.blob_gib, "GiB of files to keep that no task needs any more")
        ->check(amount_up_to(most_gib))
        ->capture_default_str();
    app.add_option("--blob-days", options.blob_days, "days for which the node keeps such files after their last use")
        ->check(amount_up_to(most_days))
        ->capture_default_str();
    app.add_option("--metrics", common.metrics, metrics::option_help);
    app.add_flag("--metrics-instances", options.metrics_instances,
                 "each instance serves its own metrics to this machine only, at a port that the system chooses; "
                 "DATA/metrics/*.json list them in the format of Prometheus's file_sd_configs");
}

/// Returns the address for instances' data sockets: a folder on ipc, this machine's address on tcp.
Result<std::string> listen_address(const NodeOptions& options, bool ipc) {
    if (!options.listen.empty()) return options.listen;
    if (ipc) return options.runtime;
    return Error{ErrorCode::invalid_input, "a node on tcp needs an address at which its instances receive data",
                 "--listen", "give --listen ADDRESS, an address of this machine that other nodes can reach"};
}

/// Locks and empties the folder where instances name their metrics ports; returns none if metrics are off. The folder
/// is emptied because files left by a killed node may name ports that are now closed or used by another program. The
/// lock prevents a second node from removing the files of a running node.
Result<std::optional<file::FolderLock>> claim_targets(const std::filesystem::path& folder) {
    if (folder.empty()) return std::optional<file::FolderLock>();
    DIVISI_ASSIGN(file::FolderLock claim, file::FolderLock::take(folder));
    DIVISI_TRY(file::make_writable(folder, 1));
    metrics::remove_targets(folder);
    return std::optional(std::move(claim));
}

Result<node::DriverConfig> make_config(const launch::Options& common, const NodeOptions& options) {
    node::DriverConfig config;
    config.info = node::describe_machine();
    DIVISI_ASSIGN(config.uplink, link::read_uplink(process::absolute_path(common.connect)));
    const std::string& name = common.name;
    const auto slash = name.find('/');
    if (slash == std::string::npos || slash == 0 || slash + 1 == name.size())
        return Error{ErrorCode::invalid_input, "'" + name + "' is not MIC/NODE", "--name", "write e.g. mic-1/node-2"};
    config.info.id = NodeId(name);
    config.info.mic = MicId(name.substr(0, slash));
    config.data = process::absolute_path(options.data);
    config.blobs = config.data / "blobs";
    DIVISI_TRY(file::make_writable(config.data, 1));
    if (options.metrics_instances) config.metrics = config.data / "metrics";
    const bool ipc = link::is_ipc(config.uplink.orchestrator.endpoint);
    if (!ipc) {
        config.keys = common.keys.empty() ? config.data / "node.key" : std::filesystem::path(common.keys);
        DIVISI_ASSIGN(config.uplink.security.keys, link::load_or_make_keys(config.keys));
    }
    DIVISI_ASSIGN(config.listen, listen_address(options, ipc));
    if (ipc) {
        if (config.listen.empty())
            config.listen = std::filesystem::path(config.uplink.orchestrator.endpoint.substr(6)).parent_path();
        DIVISI_TRY(link::make_private_folder(config.listen));
    }
    return config;
}

store::BlobLimits blob_limits(const NodeOptions& options) {
    store::BlobLimits limits;
    limits.most = static_cast<Bytes>(options.blob_gib * gib);
    limits.age = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(options.blob_days * day_s));
    return limits;
}

/// Starts the blob store, to which clients upload data and models and from which they fetch weights. The orchestrator
/// tells clients and nodes the endpoint of the blob store.
Result<std::unique_ptr<node::BlobHost>> host_blobs(link::Context& context, node::DriverConfig& config,
                                                   const store::BlobLimits& limits) {
    std::string endpoint = "tcp://" + config.listen + ":0";
    if (link::is_ipc(config.uplink.orchestrator.endpoint)) {
        char name[24];
        std::snprintf(name, sizeof name, "b-%016llx", static_cast<unsigned long long>(fnv1a(config.info.id.value())));
        endpoint = "ipc://" + config.listen + "/" + name;
    } else {
        config.info.blob_key = config.uplink.security.keys->public_key;
    }
    DIVISI_ASSIGN(auto host,
                  node::BlobHost::start(context, config.blobs, endpoint, config.uplink.security.keys, limits));
    config.info.blob_endpoint = host->endpoint();
    return host;
}

class NodeProgram final : public launch::Program {
public:
    void add_options(CLI::App& app, launch::Options& options) override { describe(app, options, options_); }

    Result<link::SocketSecurity> configure(const launch::Options& options) override {
        DIVISI_ASSIGN(config_, make_config(options, options_));
        DIVISI_ASSIGN(claim_, claim_targets(config_.metrics));
        return config_.uplink.security;
    }

    Result<std::unique_ptr<launch::Agent>> make_agent(link::EventLoop& loop, link::Context& context) override {
        DIVISI_ASSIGN(auto blobs, host_blobs(context, config_, blob_limits(options_)));
        return std::unique_ptr<launch::Agent>(
            std::make_unique<node::Driver>(loop, context, std::move(blobs), std::move(config_)));
    }

private:
    NodeOptions options_;
    node::DriverConfig config_;
    std::optional<file::FolderLock> claim_;  ///< lock of the folder for metrics ports, held until this node has ended
};

}  // namespace

int main(int argc, char** argv) {
    launch::Texts texts;
    texts.program = "divisi-node";
    texts.help = "The node agent, one per machine: starts, watches and stops instances";
    texts.name_help = "MIC/NODE, such as mic-1/node-2";
    texts.key_owner = "the node's";
    NodeProgram program;
    return launch::run(texts, program, argc, argv);
}
