// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/terminal/session.h"

#include <cstdio>
#include <set>
#include <thread>

#include "backend/base/version.h"
#include "backend/ctl/terminal/arrivals.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/outage.h"
#include "backend/link/sockets.h"

namespace divisi::ctl {
namespace {

constexpr Duration connect_deadline = std::chrono::seconds(15);
/// Number of nodes of an embedded cluster; they join within about a second.
constexpr std::size_t embedded_nodes = 4;
/// Interval at which opening a session checks for an interrupt; a person does not notice so short a delay.
constexpr Duration cancel_interval = std::chrono::milliseconds(50);
Error shut_down(const std::string& where) {
    return {ErrorCode::unavailable, "the cluster was shut down", where,
            "start it again with 'divisictl cluster up', then see 'divisictl tasks'"};
}

Error given_up(const std::string& where) {
    return {ErrorCode::unavailable, "the orchestrator has not come back", where,
            "see its log; when it is back, 'divisictl tasks' shows the state of the task"};
}

Error left_alone(const std::string& where) {
    return {ErrorCode::failed, "interrupted while the orchestrator is away", where,
            "the task may continue; when the orchestrator is back, stop it with 'divisictl tasks stop'"};
}

void say(const std::string& line) {
    if (!line.empty()) std::fprintf(stderr, "%s\n", line.c_str());
}

Error no_cluster(const std::filesystem::path& data) {
    return {ErrorCode::unavailable, "no cluster runs", data.string(),
            "start one with 'divisictl cluster up', or name one with --connect FILE"};
}

}  // namespace

Result<std::unique_ptr<Session>> open_session(const Common& common, control::Role role) {
    Target target = common.target;
    target.role = role;
    return Session::open(target);
}

Result<std::unique_ptr<Session>> Session::open(const Target& target) {
    std::unique_ptr<Session> session(new Session());
    session->patience_ = target.patience;
    const std::filesystem::path data = embed::default_data_folder();
    std::filesystem::path file = target.connection;
    session->own_ = file.empty();
    if (file.empty()) {
        file = embed::connection_file(data);
        session->nodes_wanted_ = 1;
        if (!embed::cluster_runs(data) || embed::cluster_ends(data)) {
            session->nodes_wanted_ = embedded_nodes;
            if (!target.embed) return no_cluster(data);
            const auto cancelled = [&] { return target.cancelled && *target.cancelled; };
            auto started = embed::EmbeddedCluster::start(data, cancelled);
            // If another program is starting a cluster on this folder, connect to that cluster.
            const bool taken = !started && started.error().code == ErrorCode::conflict;
            if (!started && !taken) return std::move(started).error();
            if (started) session->cluster_ = std::move(*started);
            else session->devices_wanted_ = embed::device_names();
            for (int i = 0; taken && i < 150 && !embed::cluster_runs(data) && !cancelled(); ++i)
                std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    }
    DIVISI_ASSIGN(session->connection_, link::read_connection(file));
    DIVISI_TRY(session->connect(target));
    return session;
}

Result<void> Session::connect(const Target& target) {
    link::SocketSecurity security;
    if (link::is_ipc(connection_.endpoint)) {
        keys_ = link::generate_keys();  // nodes on tcp verify this key; on ipc the uid identifies the client
    } else {
        const std::filesystem::path data = embed::default_data_folder();
        std::error_code ignored;
        std::filesystem::create_directories(data, ignored);
        DIVISI_ASSIGN(keys_, link::load_or_make_keys(target.keys.empty() ? data / "client.key"
                                                                         : std::filesystem::path(target.keys)));
        security.keys = keys_;
    }
    transport_ = std::make_unique<link::ZmqTransport>(context_, loop_, security.keys);
    client_ = std::make_unique<link::ControlClient>(
        loop_, *transport_, connection_, control::Hello{"divisictl", divisi::version, target.role, keys_->public_key});
    subscriber_ = std::make_unique<link::Subscriber>(loop_, *client_, heard());
    std::string why;
    bool connected = false, denied = false, strange = false;
    on_state_ = [&](const auto& state) {
        connected = state.kind == link::ControlClient::State::Kind::connected;
        if (!state.detail.empty()) why = state.detail;
        denied = state.code == ErrorCode::denied;  // a second attempt would be refused too
        strange = state.code == ErrorCode::unsupported;
        if (connected || denied || strange) loop_.stop();
    };
    client_->start(
        [this](const auto& state) {
            if (on_state_) on_state_(state);
        },
        [this](std::uint64_t, const control::Message& message) {
            if (const auto* push = get_if<control::EventPush>(&message)) subscriber_->pushed(*push);
            else take(message);
        },
        [this](const Error& unreadable) { subscriber_->broken(unreadable); });
    const auto timer = loop_.after(connect_deadline, [this] { loop_.stop(); });
    const auto watch = loop_.every(cancel_interval, [&] {
        if (target.cancelled && *target.cancelled) loop_.stop();
    });
    loop_.run();
    loop_.cancel(watch);
    loop_.cancel(timer);
    on_state_ = nullptr;
    if (target.cancelled && *target.cancelled)
        return Error{ErrorCode::failed, "interrupted", connection_.endpoint, "nothing was submitted"};
    if (connected) return {};
    std::string next = why.empty() ? "check that divisid runs and that its address is reachable" : why;
    if (security.keys && denied)
        next += "; if this key is not allowed there, its admin runs: divisictl keys add '" + security.keys->public_key +
                "' --name NAME --role " + to_string(target.role);
    if (denied) return Error{ErrorCode::denied, "the cluster refuses this client", connection_.endpoint, next};
    if (strange) return Error{ErrorCode::unsupported, "the cluster runs another version", connection_.endpoint, next};
    return Error{ErrorCode::unavailable, "cannot connect to the cluster", connection_.endpoint, next};
}

/// Passes a pushed message on, or keeps it until follow() is called.
void Session::take(const control::Message& message) {
    if (!on_message_) early_.push_back(message);
    else if (!on_message_(message)) loop_.stop();
}

link::Subscriber::Heard Session::heard() {
    return {[this](control::Snapshot snapshot) {
                if (!subscribed_) return take(std::move(snapshot));
                *std::exchange(subscribed_, nullptr) = std::move(snapshot);
                loop_.stop();
            },
            [this](std::vector<control::Event> events) { take(control::EventPush{std::move(events)}); },
            [this](const Error& problem) {
                if (!subscribed_) return static_cast<void>(std::fprintf(stderr, "%s\n", problem.message().c_str()));
                *std::exchange(subscribed_, nullptr) = problem;
                loop_.stop();
            }};
}

Session::~Session() {
    subscriber_.reset();
    client_.reset();
    cluster_.reset();
}

Result<control::Message> Session::request(const control::Message& message, Duration deadline) {
    std::optional<Result<control::Message>> answer;
    early_.clear();
    client_->request(message, deadline, [&](Result<control::Message> reply) {
        answer = std::move(reply);
        loop_.stop();
    });
    while (!answer) loop_.run();
    return std::move(*answer);
}

Result<control::Snapshot> Session::subscribe() {
    std::optional<Result<control::Snapshot>> snapshot;
    early_.clear();
    subscribed_ = &snapshot;
    subscriber_->begin();
    while (!snapshot) loop_.run();
    return std::move(*snapshot);
}

void Session::request_later(const control::Message& message, std::function<bool(Result<control::Message>)> on_reply,
                            Duration deadline) {
    client_->request(message, deadline, [this, take = std::move(on_reply)](Result<control::Message> reply) {
        if (on_message_ && !take(std::move(reply))) loop_.stop();
    });
}

Result<control::ClusterState> Session::snapshot(std::vector<control::InstanceLoad>* loads) {
    DIVISI_ASSIGN(auto snapshot, subscribe());
    if (loads) *loads = std::move(snapshot.loads);
    return std::move(snapshot.state);
}

void Session::beside(const std::function<void()>& work, std::function<void()> on_interrupt) {
    bool done = false;
    on_interrupt_ = std::move(on_interrupt);
    // Ignore pushed messages during the work, since a later snapshot contains their content.
    on_message_ = [](const control::Message&) { return true; };
    if (interrupted_) on_interrupt_();
    std::thread thread([&] {
        work();
        loop_.post([&] {
            done = true;
            loop_.stop();
        });
    });
    while (!done) loop_.run();
    thread.join();
    on_message_ = nullptr;
    on_interrupt_ = nullptr;
}

Result<void> Session::follow(std::function<bool(const control::Message&)> on_message,
                             std::function<void()> on_interrupt) {
    std::optional<Error> failure;
    Outage outage(patience_);
    if (client_->state().kind != link::ControlClient::State::Kind::connected) {
        outage.lost(loop_.now(), client_->state().detail);
        subscriber_->pause();
    }
    on_message_ = [&, take = std::move(on_message)](const control::Message& message) {
        // After a goodbye, the task's end can no longer arrive, so stop waiting for it.
        if (holds_alternative<control::Goodbye>(message)) failure = shut_down(connection_.endpoint);
        return !failure && take(message);
    };
    on_interrupt_ = [&, act = std::move(on_interrupt)] {
        act();
        if (!outage.away()) return;
        failure = left_alone(connection_.endpoint);
        loop_.stop();
    };
    on_state_ = [&](const link::ControlClient::State& state) {
        const bool connected = state.kind == link::ControlClient::State::Kind::connected;
        if (!connected) outage.lost(loop_.now(), state.detail);
        if (connected && outage.away()) {
            // The snapshot contains all events of the outage.
            say(outage.back(loop_.now()));
            subscriber_->begin();
        }
        if (!connected) subscriber_->pause();
    };
    const auto timer = loop_.every(std::chrono::seconds(1), [&] {
        if (!supervise(failure)) return loop_.stop();
        say(outage.waits(loop_.now()));
        if (outage.over(loop_.now())) failure = given_up(connection_.endpoint);
        else if (interrupted_ && outage.away()) failure = left_alone(connection_.endpoint);
        if (failure) loop_.stop();
    });
    for (const control::Message& message : std::exchange(early_, {}))
        if (!on_message_(message)) loop_.stop();
    if (interrupted_ && on_interrupt_) on_interrupt_();
    loop_.run();
    loop_.cancel(timer);
    on_message_ = nullptr;
    on_interrupt_ = nullptr;
    on_state_ = nullptr;
    if (failure) return *failure;
    return {};
}

void Session::leave() { loop_.stop(); }

bool Session::supervise(std::optional<Error>& failure) {
    if (!cluster_) return true;
    const auto supervision = cluster_->supervise();
    if (!supervision) failure = supervision.error();
    else if (supervision->ended) failure = shut_down(embed::default_data_folder().string());
    return !failure;
}

/// Follows the cluster while `lacking` returns true, at most for `limit` or until interrupt().
Result<void> Session::wait_while(const std::function<bool()>& lacking, Arrivals& here, Duration limit) {
    bool over = false;
    const auto timer = loop_.after(limit, [&] {
        over = true;
        loop_.stop();
    });
    Result<void> followed;
    const auto take = [&](const control::Message& message) {
        here.take(message);
        return lacking();
    };
    while (followed.ok() && lacking() && !over && !interrupted_) followed = follow(take, [this] { loop_.stop(); });
    loop_.cancel(timer);
    return followed;
}

Result<void> Session::wait_for_members() {
    if (nodes_wanted_ == 0) return {};
    Arrivals here;
    DIVISI_ASSIGN(const auto snapshot, subscribe());
    here.look_at(snapshot.state);
    DIVISI_TRY(wait_while([&] { return here.nodes() < nodes_wanted_; }, here, connect_deadline));
    const std::vector<std::string> devices = cluster_ ? cluster_->devices() : devices_wanted_;
    const auto devices_lack = [&] { return !here.missing(devices).empty(); };
    if (here.nodes() > 0 && !interrupted_) DIVISI_TRY(wait_while(devices_lack, here, device_patience));
    if (interrupted_) return Error{ErrorCode::failed, "interrupted", connection_.endpoint, "nothing was submitted"};
    if (here.nodes() == 0)
        return Error{ErrorCode::unavailable, "no node of the cluster has joined", connection_.endpoint,
                     "see the logs in the data folder, and 'divisictl cluster status'"};
    if (devices_lack()) say(not_registered(here.missing(devices)));
    return {};
}

Result<void> Session::outlast_others(const std::function<void(std::size_t)>& on_wait) {
    if (!cluster_) return {};
    std::set<TaskId> running;
    const auto left = [&](const control::Message& message) {
        if (const auto* snapshot = get_if<control::Snapshot>(&message)) {
            running.clear();
            for (const auto& [id, task] : snapshot->state.tasks)
                if (task.pending()) running.insert(id);
        } else if (const auto* push = get_if<control::EventPush>(&message)) {
            for (const control::Event& event : push->events) {
                if (const auto* submitted = get_if<control::TaskSubmitted>(&event.body))
                    running.insert(submitted->task);
                else if (const auto* held = get_if<control::TaskHeld>(&event.body)) running.insert(held->task);
                else if (const auto* ended = get_if<control::TaskEnded>(&event.body)) running.erase(ended->task);
            }
        }
        return !running.empty();
    };
    DIVISI_ASSIGN(const auto snapshot, subscribe());
    if (!left(snapshot) || interrupted_) return {};
    on_wait(running.size());
    return follow(left, [this] { loop_.stop(); });
}

void Session::interrupt() {
    loop_.post([this] {
        interrupted_ = true;
        if (on_interrupt_) on_interrupt_();
    });
}

}  // namespace divisi::ctl
