// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/server.h"

#include <cstdio>

#include "backend/base/version.h"
#include "backend/file/atomic_file.h"
#include "backend/file/folder.h"
#include "backend/link/connection_file.h"
#include "backend/link/sockets.h"
#include "backend/store/link_store.h"
#include "backend/store/profile_store.h"
#include "backend/wire/message_codec.h"

namespace divisi::orchestrator {
namespace {

/// Deadlines and load pushes are looked at this often: ten a second are enough for a person.
constexpr Duration tick_interval = std::chrono::milliseconds(100);

/// What happens while somebody holds the log is kept in memory for so long; then the process ends.
constexpr Duration longest_block = std::chrono::seconds(60);
constexpr Duration log_retry = std::chrono::milliseconds(50);
/// Prometheus looks every few seconds.
constexpr Duration count_interval = std::chrono::seconds(1);
constexpr const char* events_file = "events.sqlite";

store::EventCodec codec() { return {wire::encode_event, wire::decode_event, wire::encode_page, wire::decode_page}; }

std::vector<std::string> secure_nodes(const ServerConfig& config) {
    std::vector<std::string> names;
    for (const auto& [id, node] : config.nodes)
        if (node.secure) names.push_back(id.value());
    return names;
}

}  // namespace

Server::Server(link::EventLoop& loop, link::Context& context, ServerConfig config)
    : loop_(loop),
      context_(context),
      config_(std::move(config)),
      sockets_(loop, [this](const control::Input& input) { feed(input); }) {}

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
    std::filesystem::create_directories(config_.data / "skeletons", code);
    DIVISI_ASSIGN(log_, store::EventLog::open(config_.data / events_file, codec(), config_.retention));
    DIVISI_TRY(start_jobs());
    DIVISI_TRY(start_metrics());
    DIVISI_ASSIGN(const bool whole, restore());
    core_.allow_always(config_.keys);
    core_.describe_nodes(config_.nodes);
    core_.state_links(config_.links);
    take(core_.start(config_.name, version, loop_.clock().now(), config_.hold));
    commit();
    if (failure_) return *failure_;
    if (!whole) save_state();  // what was left out is told once
    for (const control::KeyChanged& key : config_.keys) context_.policy().allow(key.public_key, {key.name, key.role});
    DIVISI_TRY(listen());
    loop_.every(tick_interval, [this] { feed(control::Tick{}); });
    return {};
}

Result<void> Server::start_jobs() {
    JobTools tools{config_.data, secure_nodes(config_), nullptr};
    DIVISI_ASSIGN(tools.log, store::EventLog::open_to_read(config_.data / events_file, codec()));
    jobs_ = std::make_unique<JobRunner>(std::move(tools), [this](control::JobDone done) {
        loop_.post([this, done = std::move(done)] { feed(done); });
    });
    return {};
}

Result<void> Server::start_metrics() {
    if (config_.metrics.empty()) return {};
    metrics_ = std::make_unique<Metrics>(version);
    DIVISI_ASSIGN(metrics_server_, MetricsServer::start(config_.metrics, [this] { return metrics_->text(); }));
    loop_.on_round([this](Duration busy) { metrics_->round(busy); });
    loop_.every(count_interval, [this] { metrics_->look_at(core_.state()); });
    return {};
}

void Server::end(const std::string& reason) {
    sockets_.send_all(control::Goodbye{reason});
    finish();
}

/// What has come is made durable; the next start has nothing to fold.
void Server::finish() {
    commit();
    if (!failure_ && outputs_.empty() && log_->unsaved() > 0) save_state();
    loop_.stop();
}

/// Whether all of the log could be read.
Result<bool> Server::restore() {
    DIVISI_ASSIGN(store::Restored restored, log_->restore());
    for (const control::Finding& finding : restored.findings) std::fprintf(stderr, "%s\n", finding.what.c_str());
    for (const auto& [key, change] : restored.state.keys) context_.policy().allow(key, {change.name, change.role});
    const bool whole = restored.findings.empty();
    core_.restore(std::move(restored.state), std::move(restored.findings));
    for (const auto& [id, task] : core_.state().tasks) {
        if (task.skeleton.empty()) continue;
        // The core ends what cannot run without it.
        if (auto skeleton = file::read_file(skeleton_file(id.value())))
            core_.restore_skeleton(id, *std::move(skeleton));
        else std::fprintf(stderr, "%s\n", skeleton.error().message().c_str());
    }
    remove_forgotten_skeletons();
    return whole;
}

std::filesystem::path Server::skeleton_file(const std::string& task) const {
    return config_.data / "skeletons" / (task + ".onnx");
}

/// What a crash between forgetting a task and removing its file left, and half-written files.
void Server::remove_forgotten_skeletons() {
    std::error_code ignored;
    for (const auto& path : file::list_folder(config_.data / "skeletons", ignored))
        if (path.extension() != ".onnx" || !core_.state().tasks.contains(TaskId(path.stem())))
            std::filesystem::remove(path, ignored);
}

Result<void> Server::listen() {
    std::optional<link::KeyPair> keys;
    for (const std::string& endpoint : config_.endpoints) {
        if (link::is_ipc(endpoint) || keys) continue;
        DIVISI_ASSIGN(keys, link::load_or_make_keys(config_.data / "server.key"));
    }
    transport_ = std::make_unique<link::ZmqTransport>(context_, loop_, keys);
    link::Connection connection;
    for (const std::string& endpoint : config_.endpoints) {
        if (link::is_ipc(endpoint)) {
            // A socket may only lie where no other user can enter. A folder of somebody else's purpose is not changed.
            const std::filesystem::path folder = std::filesystem::path(endpoint.substr(6)).parent_path();
            std::error_code code;
            if (!std::filesystem::exists(folder, code) || std::filesystem::equivalent(folder, config_.data, code))
                DIVISI_TRY(link::make_private_folder(folder));
        }
        DIVISI_ASSIGN(const std::string bound, sockets_.listen(*transport_, endpoint));
        const link::Connection here{bound, link::is_ipc(endpoint) ? "" : keys->public_key};
        // connection.toml names the first endpoint; for other machines there is a file of its own.
        if (connection.endpoint.empty()) connection = here;
        if (!link::is_ipc(endpoint)) DIVISI_TRY(link::write_connection(config_.data / "connection-tcp.toml", here));
    }
    return link::write_connection(config_.data / "connection.toml", connection);
}

void Server::feed(const control::Input& input) {
    if (failure_) return;  // the state is ahead of the log; the process ends
    take(core_.step(input, loop_.clock().now()));
}

/// What comes in one round of the loop is made durable together: one commit, and one wait for the disk.
void Server::take(control::Output output) {
    events_.insert(events_.end(), std::make_move_iterator(output.events.begin()),
                   std::make_move_iterator(output.events.end()));
    outputs_.push_back(std::move(output));
    if (outputs_.size() == 1) loop_.post([this] { commit(); });
}

/// Durable first, then the actions; without durability there are none, and the process ends.
void Server::commit() {
    if (failure_ || outputs_.empty()) return;
    if (auto durable = make_durable(events_); !durable) {
        if (wait_for_log(durable.error())) return;
        failure_ = durable.error();
        return loop_.stop();
    }
    log_blocked_since_.reset();
    const std::vector<control::Event> events = std::exchange(events_, {});
    std::vector<control::Output> outputs = std::exchange(outputs_, {});
    if (metrics_) metrics_->logged(events.size());
    for (const control::Event& event : events) {
        follow_keys(event);
        keep_link(event);
    }
    for (control::Output& output : outputs) carry_out(std::move(output));
    if (log_->unsaved() >= store::save_interval && outputs_.empty()) save_state();
}

/// The log has one writer, so whoever holds it came from outside: somebody with a sqlite3 shell. What has happened
/// waits for the end of that, and peers are heard meanwhile.
bool Server::wait_for_log(const Error& why) {
    if (why.code != ErrorCode::conflict) return false;
    const TimePoint now = loop_.now();
    if (!log_blocked_since_) {
        log_blocked_since_ = now;
        std::fprintf(stderr, "%s; waiting for up to %lld s\n", why.message().c_str(),
                     static_cast<long long>(longest_block / std::chrono::seconds(1)));
    }
    if (now - *log_blocked_since_ >= longest_block) return false;
    loop_.after(log_retry, [this] { commit(); });
    return true;
}

void Server::carry_out(control::Output output) {
    std::error_code ignored;
    for (const TaskId& task : output.forgotten) std::filesystem::remove(skeleton_file(task.value()), ignored);
    for (control::Job& job : output.jobs) jobs_->add(std::move(job));
    for (const control::Send& send : output.sends) sockets_.send(send);
    for (const control::PeerId peer : output.closes) sockets_.close(peer);
    if (output.exit) loop_.after(std::chrono::milliseconds(200), [this] { finish(); });
}

Result<void> Server::make_durable(std::span<const control::Event> events) {
    for (const control::Event& event : events) {
        const auto* submitted = std::get_if<control::TaskSubmitted>(&event.body);
        if (!submitted || submitted->skeleton.empty()) continue;
        const auto skeleton = core_.skeletons().find(submitted->task);
        if (skeleton == core_.skeletons().end()) continue;  // forgotten within the same round
        DIVISI_TRY(file::write_file(skeleton_file(submitted->task.value()), skeleton->second));
    }
    return log_->append(events);
}

/// So that the next start folds few events. The log has all of it: a failure here is told, and tried again.
void Server::save_state() {
    if (auto saved = log_->save(core_.state()); !saved) std::fprintf(stderr, "%s\n", saved.error().message().c_str());
}

/// For plans that are made while no cluster runs. The log has it too, so that a failure here loses no more than that.
void Server::keep_link(const control::Event& event) {
    const auto* measured = std::get_if<control::LinkMeasured>(&event.body);
    if (!measured) return;
    const auto kept = [&]() -> Result<void> {
        DIVISI_ASSIGN(const auto store, store::LinkStore::open(config_.data / store::profile_file));
        return store->save({*measured, event.time});
    }();
    if (!kept) std::fprintf(stderr, "%s\n", kept.error().message().c_str());
}

void Server::follow_keys(const control::Event& event) {
    const auto* changed = std::get_if<control::KeyChanged>(&event.body);
    if (!changed) return;
    if (changed->revoked) context_.policy().revoke(changed->public_key);
    else context_.policy().allow(changed->public_key, {changed->name, changed->role});
}

}  // namespace divisi::orchestrator
