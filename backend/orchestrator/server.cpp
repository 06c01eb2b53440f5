// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/server.h"

#include <cstdio>

#include "backend/base/version.h"
#include "backend/control/network/mesh_devices.h"
#include "backend/control/network/mics.h"
#include "backend/file/atomic_file.h"
#include "backend/file/folder.h"
#include "backend/link/connection_file.h"
#include "backend/link/sockets.h"
#include "backend/metrics/cluster_figures.h"
#include "backend/store/data_folder.h"
#include "backend/store/link_store.h"
#include "backend/store/receipt_key.h"
#include "backend/wire/message_codec.h"

namespace divisi::orchestrator {
namespace {

/// Interval at which the figures are counted; Prometheus scrapes every few seconds.
constexpr Duration count_interval = std::chrono::seconds(1);
constexpr const char* lines_file = "lines.sqlite";

store::EventCodec codec() { return {wire::encode_event, wire::decode_event, wire::encode_page, wire::decode_page}; }

std::vector<std::string> secure_nodes(const ServerConfig& config) {
    std::vector<std::string> names;
    for (const auto& [id, node] : config.nodes)
        if (node.secure) names.push_back(id.value());
    return names;
}

}  // namespace

Server::Server(link::EventLoop& loop, link::Context& context, ServerConfig config)
    : loop_(loop), context_(context), config_(std::move(config)) {}

Server::~Server() {
    std::error_code ignored;
    loop_.on_round({});
    if (!lock_) return;
    std::filesystem::remove(config_.data / "connection.toml", ignored);
    std::filesystem::remove(config_.data / "connection-tcp.toml", ignored);
}

Result<void> Server::start() {
    DIVISI_ASSIGN(lock_, file::FolderLock::take(config_.data));
    std::error_code code;
    std::filesystem::create_directories(config_.data / store::skeletons_folder, code);
    DIVISI_ASSIGN(log_, store::EventLog::open(config_.data / store::events_file, codec(), config_.retention));
    open_lines();
    host_ = std::make_unique<OrchestratorHost>(loop_, *log_, callbacks());
    DIVISI_TRY(start_jobs());
    DIVISI_TRY(start_metrics());
    DIVISI_TRY(restore());
    control::Orchestrator& core = host_->core();
    core.allow_always(config_.keys);
    core.describe_nodes(config_.nodes);
    core.state_links(config_.links);
    if (config_.allow_faults) core.allow_faults();
    DIVISI_ASSIGN(auto seal, store::load_or_make_seal(config_.data / store::receipts_key_file));
    core.seal_receipts(std::move(seal));
    core.state_queue(config_.pools, config_.queue);
    core.state_alerts(config_.alerts);
    core.state_policies(config_.policies);
    DIVISI_TRY(host_->start(config_.name, version, config_.hold));
    for (const control::KeyChanged& key : config_.keys)
        context_.access_list().allow(key.public_key, {key.name, key.role});
    loop_.every(count_interval, [this] {
        look_at_handshakes();
        look_at_disk();
    });
    return listen();
}

OrchestratorHost::Callbacks Server::callbacks() {
    return {[this](const TaskId& task, const std::string& skeleton) {
                return file::write_file(skeleton_file(task.value()), skeleton);
            },
            [this](const TaskId& task) {
                std::error_code ignored;
                std::filesystem::remove(skeleton_file(task.value()), ignored);
            },
            [this](std::span<const control::Event> events) { logged(events); },
            [this](control::Job job) { jobs_->add(std::move(job)); },
            [this] { loop_.stop(); },
            link::process_has_ended,
            [this](std::vector<control::LogLine> lines) {
                if (lines_) lines_->keep(std::move(lines));
            }};
}

/// Opens the log of lines. This log is only telemetry; the orchestrator works without it.
void Server::open_lines() {
    auto log = store::LineLog::open(config_.data / lines_file, config_.lines);
    if (log) lines_ = std::make_unique<LogLineWriter>(*std::move(log));
    else tell(Severity::error, "no log lines are kept: " + log.error().message());
}

/// Writes a message to standard error and to the log of lines.
void Server::tell(Severity severity, const std::string& text) {
    std::fprintf(stderr, "%s\n", text.c_str());
    if (!lines_) return;
    control::LogLine line;
    line.time = loop_.now();
    line.severity = severity;
    line.component = "orchestrator";
    line.text = text;
    lines_->keep({std::move(line)});
}

Result<void> Server::start_jobs() {
    JobTools tools{config_.data, secure_nodes(config_), nullptr, nullptr};
    DIVISI_ASSIGN(tools.log, store::EventLog::open_to_read(config_.data / store::events_file, codec()));
    if (lines_)
        if (auto lines = store::LineLog::open_to_read(config_.data / lines_file)) tools.lines = *std::move(lines);
    jobs_ = std::make_unique<JobRunner>(std::move(tools), [this](control::JobDone done) {
        loop_.post([this, done = std::move(done)] { host_->feed(done); });
    });
    return {};
}

Result<void> Server::start_metrics() {
    if (config_.metrics.empty()) return {};
    metrics_ = std::make_unique<Metrics>();
    DIVISI_ASSIGN(metrics_server_, metrics::MetricsServer::start(config_.metrics, [this] { return metrics_->text(); }));
    loop_.on_round([this](Duration busy) { metrics_->round(busy); });
    loop_.every(count_interval, [this] {
        metrics_->denied(host_->core().denied());
        metrics_->show(figures());
    });
    return {};
}

/// Returns the figures of the cluster, including the nodes, gateways, routers and MICs that are present.
metrics::Figures Server::figures() const {
    const control::Orchestrator& core = host_->core();
    metrics::Figures figures = figures_of(core.state());
    add_signals(figures, core.mesh().signals());
    for (const auto& [node, machine] : core.machines()) metrics::add_machine(figures, node.value(), machine);
    std::map<std::uint32_t, std::string> names;
    core.mesh().each([&](const control::DeviceView& device) { names[device.id] = device.info.name; });
    core.mesh().each([&](const control::DeviceView& device) {
        if (!device.up) return;
        metrics::add_device(figures, device, [&](std::uint32_t id) {
            const auto found = names.find(id);
            return found == names.end() ? std::string() : found->second;
        });
    });
    for (const control::MicView& mic : core.mics().state().mics)
        if (mic.up) metrics::add_mic(figures, mic);
    return figures;
}

void Server::end(const std::string& reason) { host_->end(reason); }

Result<void> Server::restore() {
    DIVISI_ASSIGN(const auto findings, host_->restore());
    for (const control::Finding& finding : findings) tell(Severity::error, finding.what);
    control::Orchestrator& core = host_->core();
    for (const auto& [key, change] : core.state().keys) context_.access_list().allow(key, {change.name, change.role});
    for (const auto& [id, task] : core.state().tasks) {
        if (task.skeleton.empty()) continue;
        // Tasks that cannot run without their model are ended by the core.
        if (auto skeleton = file::read_file(skeleton_file(id.value()))) core.restore_skeleton(id, *std::move(skeleton));
        else tell(Severity::error, skeleton.error().message());
    }
    remove_forgotten_skeletons();
    return {};
}

std::filesystem::path Server::skeleton_file(const std::string& task) const {
    return config_.data / store::skeletons_folder / (task + store::skeleton_ending);
}

/// Removes skeletons of tasks that were forgotten before a crash could remove the file, and half-written files.
void Server::remove_forgotten_skeletons() {
    std::error_code ignored;
    for (const auto& path : file::list_folder(config_.data / store::skeletons_folder, ignored))
        if (path.extension() != store::skeleton_ending || !host_->core().state().tasks.contains(TaskId(path.stem())))
            std::filesystem::remove(path, ignored);
}

Result<void> Server::listen() {
    std::optional<link::KeyPair> keys;
    for (const std::string& endpoint : config_.endpoints) {
        if (link::is_ipc(endpoint) || keys) continue;
        DIVISI_ASSIGN(keys, link::load_or_make_keys(config_.data / store::server_key_file));
    }
    transport_ = std::make_unique<link::ZmqTransport>(context_, loop_, keys);
    link::Connection connection;
    for (const std::string& endpoint : config_.endpoints) {
        if (link::is_ipc(endpoint)) {
            // A socket may only be in a folder that no other user can enter. The mode of an existing folder is not
            // changed, since the folder may have other uses.
            const std::filesystem::path folder = std::filesystem::path(endpoint.substr(6)).parent_path();
            std::error_code code;
            if (!std::filesystem::exists(folder, code) || std::filesystem::equivalent(folder, config_.data, code))
                DIVISI_TRY(link::make_private_folder(folder));
        }
        DIVISI_ASSIGN(const std::string bound, host_->sockets().listen(*transport_, endpoint));
        const link::Connection here{bound, link::is_ipc(endpoint) ? "" : keys->public_key};
        // connection.toml names the first endpoint; clients on other machines use a separate file.
        if (connection.endpoint.empty()) connection = here;
        if (!link::is_ipc(endpoint)) DIVISI_TRY(link::write_connection(config_.data / "connection-tcp.toml", here));
    }
    return link::write_connection(config_.data / "connection.toml", connection);
}

void Server::logged(std::span<const control::Event> events) {
    if (metrics_) metrics_->logged(events.size(), log_->cpu());
    for (const control::Event& event : events) {
        follow_keys(event);
        keep_link(event);
    }
}

/// Stores a measured link for plans made while no cluster runs. If this fails, the measurement is still in the log.
void Server::keep_link(const control::Event& event) {
    const auto* measured = get_if<control::LinkMeasured>(&event.body);
    if (!measured) return;
    const auto kept = [&]() -> Result<void> {
        DIVISI_ASSIGN(const auto store, store::LinkStore::open(config_.data / store::profile_file));
        return store->save({*measured, event.time});
    }();
    if (!kept) tell(Severity::warning, kept.error().message());
}

/// Publishes the number of peers that the sockets have rejected.
void Server::look_at_handshakes() {
    if (metrics_) metrics_->look_at(context_.handshakes().counted());
    for (const std::string& line : handshakes_.since_last(context_.handshakes(), loop_.now()))
        host_->feed(control::Noticed{{Severity::warning, "orchestrator", "", line}});
}

/// Checks the free space of the folder's file system, without the part reserved for root.
void Server::look_at_disk() {
    std::error_code code;
    const std::filesystem::space_info space = std::filesystem::space(config_.data, code);
    if (!code)
        host_->feed(control::DiskMeasured{static_cast<Bytes>(space.capacity), static_cast<Bytes>(space.available)});
}

void Server::follow_keys(const control::Event& event) {
    const auto* changed = get_if<control::KeyChanged>(&event.body);
    if (!changed) return;
    if (changed->revoked) context_.access_list().revoke(changed->public_key);
    else context_.access_list().allow(changed->public_key, {changed->name, changed->role});
}

}  // namespace divisi::orchestrator
