// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/worker.h"

#include "app/client/embedded_host.h"
#include "backend/link/connection_file.h"
#include "backend/link/sockets.h"
#include "backend/submit/results.h"
#include "backend/submit/transfers.h"

namespace divisi::client {

namespace {

constexpr Duration start_pause = std::chrono::seconds(5);
/// Silence after which the status reports it: two and a half heartbeats. The user thus learns within two seconds that
/// the shown data is old.
constexpr Duration told_silence = 5 * control::heartbeat_interval / 2;
/// Interval for checking the silence.
constexpr Duration silence_look = std::chrono::milliseconds(250);

std::chrono::steady_clock::time_point steady(Duration from_now) {
    return std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(from_now);
}

}  // namespace

ClusterClient::Worker::Worker(ClusterOptions options) : options_(std::move(options)) {
    thread_ = std::thread([this] { run(); });
}

ClusterClient::Worker::~Worker() {
    loop_.stop();
    thread_.join();
}

void ClusterClient::Worker::run() {
    context_ = std::make_unique<link::Context>();
    courier_ = std::make_unique<Courier>();
    loop_.every(std::chrono::seconds(1), [this] { supervise(); });
    loop_.every(silence_look, [this] { look_for_silence(); });
    begin();
    loop_.run();
    courier_.reset();
    subscriber_.reset();
    client_.reset();
    transport_.reset();
    host_.reset();
    context_.reset();
}

void ClusterClient::Worker::begin() {
    retry_timer_ = 0;
    if (const Result<void> done = connect(); !done.ok()) wait_and_begin_again(done.error());
}

Result<void> ClusterClient::Worker::connect() {
    std::filesystem::path file = options_.connection;
    if (file.empty() && options_.start) {
        Status starting;
        starting.connection = Connection::starting;
        tell(starting);
        if (!host_) {
            DIVISI_ASSIGN(host_, options_.start());
        }
        file = host_->connection();
    }
    DIVISI_ASSIGN(target_, link::read_connection(file));
    link::SocketSecurity security;
    if (link::is_ipc(target_.endpoint)) {
        keys_ = link::generate_keys();  // for nodes on tcp; over ipc, the uid authenticates
    } else {
        DIVISI_ASSIGN(keys_, link::load_or_make_keys(options_.keys));
        security.keys = keys_;
    }
    subscriber_.reset();
    client_.reset();  // drops its pending requests too
    mesh_pending_ = signals_pending_ = services_pending_ = receipts_pending_ = false;
    policies_pending_ = modules_pending_ = log_pending_ = false;
    transport_ = std::make_unique<link::ZmqTransport>(*context_, loop_, security.keys);
    client_ = std::make_unique<link::ControlClient>(
        loop_, *transport_, target_, control::Hello{"divisi", options_.version, asked_role_, keys_->public_key});
    subscriber_ = std::make_unique<link::Subscriber>(loop_, *client_, heard());
    client_->start([this](const link::ControlClient::State& state) { on_state(state); },
                   [this](std::uint64_t, const control::Message& message) { on_message(message); },
                   [this](const Error& why) { subscriber_->broken(why); });
    return {};
}

void ClusterClient::Worker::wait_and_begin_again(const Error& error) {
    Status status;
    status.connection = Connection::waiting;
    status.problem = QString::fromStdString(error.message());
    status.retry_at = steady(start_pause);
    tell(status);
    retry_timer_ = loop_.after(start_pause, [this] { begin(); });
}

void ClusterClient::Worker::on_state(const link::ControlClient::State& state) {
    using Kind = link::ControlClient::State::Kind;
    silence_told_ = false;
    if (watches_only(state)) return;
    Status status;
    status.where = status_.where;
    status.problem = QString::fromStdString(state.detail);
    status.lasting = state.code == ErrorCode::denied || state.code == ErrorCode::unsupported;
    if (state.kind == Kind::connected) {
        tell_connected(state.welcome);
        for (const auto& [task, done] : std::map(brought_)) tell_brought(done, true);
        return subscribe();
    }
    if (state.kind == Kind::waiting) {
        status.connection = Connection::waiting;
        const Duration left = state.next_attempt ? *state.next_attempt - loop_.clock().now() : Duration{};
        status.retry_at = steady(left);
    } else {
        status.connection = Connection::connecting;
    }
    subscriber_->pause();
    refuse_waiting({ErrorCode::unavailable, "the connection to the cluster was lost", target_.endpoint,
                    "try again when it is back"});
    tell(status);
}

/// Returns whether the connection falls back to watching: a key that may not operate may still watch. Actions the key
/// does not permit are then disabled.
bool ClusterClient::Worker::watches_only(const link::ControlClient::State& state) {
    const bool denied = state.kind == link::ControlClient::State::Kind::waiting && state.code == ErrorCode::denied;
    if (!denied || asked_role_ == control::Role::viewer) return false;
    asked_role_ = control::Role::viewer;
    loop_.post([this] { begin(); });  // post it: begin() destroys the client that calls here
    return true;
}

void ClusterClient::Worker::tell_connected(const control::Welcome& welcome) {
    Status status;
    status.connection = Connection::connected;
    status.where = QString::fromStdString(welcome.cluster);
    status.role = welcome.role;
    tell(status);
}

void ClusterClient::Worker::subscribe() {
    attempt_ = subscription_.begin();
    subscriber_->begin();
}

link::Subscriber::Heard ClusterClient::Worker::heard() {
    return {[this](control::Snapshot snapshot) { take(std::move(snapshot)); },
            [this](const std::vector<control::Event>& events) { take(events); },
            [this](const Error& problem) {
                (void)subscription_.lost_events();
                if (subscription_.failed(attempt_)) tell_behind(problem);
                refuse_waiting(problem);
            }};
}

/// Reports, while connected, that the shown data is out of date, until a snapshot comes.
void ClusterClient::Worker::tell_behind(const Error& problem) {
    // A new connection requests a new snapshot anyway.
    if (!client_ || client_->state().kind != link::ControlClient::State::Kind::connected) return;
    Status status = status_;
    status.connection = Connection::waiting;
    status.problem = QString::fromStdString(problem.message());
    status.retry_at = steady(link::pause_between_snapshots);
    tell(status);
}

/// Reports silence early. The connection itself lasts until ten heartbeats are missing, as when an orchestrator hangs
/// or a cable is pulled.
void ClusterClient::Worker::look_for_silence() {
    if (!client_ || client_->state().kind != link::ControlClient::State::Kind::connected) return;
    const Duration silent = client_->silent_for();
    if (silent < told_silence) {
        if (std::exchange(silence_told_, false)) tell_connected(client_->state().welcome);
        return;
    }
    if (status_.connection != Connection::connected) return;
    silence_told_ = true;
    Status status = status_;
    status.connection = Connection::waiting;
    status.problem = QString::fromStdString(
        Error{ErrorCode::deadline, "the orchestrator says nothing", target_.endpoint,
              "wait: it is connected to again; see whether its process hangs or the network is down"}
            .message());
    status.retry_at = steady(control::peer_timeout - silent);
    tell(status);
}

void ClusterClient::Worker::fetch_state(std::function<void(const control::ClusterState&)> then) {
    const bool connected = client_ && client_->state().kind == link::ControlClient::State::Kind::connected;
    if (!connected)
        return refuse({ErrorCode::unavailable, "there is no connection to a cluster", "", "try again later"});
    waiting_.push_back(std::move(then));
    subscribe();
}

void ClusterClient::Worker::refuse_waiting(const Error& why) {
    for (std::size_t left = std::exchange(waiting_, {}).size(); left > 0; --left) refuse(why);
}

void ClusterClient::Worker::take(control::Snapshot snapshot) {
    if (!subscription_.succeeded(attempt_)) return;
    for (const auto& then : std::exchange(waiting_, {})) then(snapshot.state);
    mailbox_.put([&](Mail& mail) {
        mail.snapshot = std::move(snapshot.state);
        mail.events.clear();  // older than the snapshot
        add_nodes(mail, snapshot.nodes);
        mail.heard = true;
    });
    if (status_.connection != Connection::connected) tell_connected(client_->state().welcome);
}

void ClusterClient::Worker::take(const std::vector<control::Event>& events) {
    bool full = false;
    mailbox_.put([&](Mail& mail) { full = subscription_.follows() && !add_events(mail, events); });
    if (full && subscription_.lost_events()) subscribe();
}

void ClusterClient::Worker::on_message(const control::Message& message) {
    mailbox_.put([&](Mail& mail) {
        mail.heard = mail.heard || subscription_.follows();
        if (const auto* push = get_if<control::LoadPush>(&message)) {
            add_loads(mail, push->loads);
            add_nodes(mail, push->nodes);
        }
        if (const auto* push = get_if<control::SpanPush>(&message)) add_spans(mail.spans, mail.spans_lost, *push);
    });
    if (const auto* push = get_if<control::EventPush>(&message)) subscriber_->pushed(*push);
}

void ClusterClient::Worker::supervise() {
    if (!host_) return;
    const Result<void> alive = host_->supervise();
    if (alive.ok()) return;
    subscriber_.reset();
    client_.reset();
    host_.reset();
    if (retry_timer_ == 0) wait_and_begin_again(alive.error());
}

void ClusterClient::Worker::ask_mesh() {
    loop_.post([this] {
        poll<control::MeshState>(control::QueryMesh{}, mesh_pending_,
                                 [](Mail& mail, control::MeshState mesh) { mail.mesh = std::move(mesh); });
    });
}

void ClusterClient::Worker::ask_signals(std::uint64_t after) {
    loop_.post([this, after] {
        poll<control::Signals>(control::QuerySignals{after}, signals_pending_,
                               [](Mail& mail, control::Signals came) { mail.signal_messages = std::move(came); });
    });
}

void ClusterClient::Worker::ask_services(const control::WatchServices& question) {
    loop_.post([this, question] {
        poll<control::ServiceChanges>(question, services_pending_,
                                      [question](Mail& mail, control::ServiceChanges answer) {
                                          mail.services = ServicesAnswer{question, std::move(answer)};
                                      });
    });
}

void ClusterClient::Worker::ask_receipts(const control::QueryLog& question) {
    loop_.post([this, question] {
        poll<control::LogPage>(question, receipts_pending_,
                               [](Mail& mail, control::LogPage page) { mail.receipts = std::move(page); });
    });
}

void ClusterClient::Worker::ask_log(const control::QueryLog& question) {
    loop_.post([this, question] {
        poll<control::LogPage>(question, log_pending_, [question](Mail& mail, control::LogPage page) {
            mail.log = LogAnswer{question, std::move(page)};
        });
    });
}

void ClusterClient::Worker::retry_exception(std::uint64_t number) {
    loop_.post([this, number] {
        ask<control::SubmitReply>(control::RetryException{number, ""},
                                  [this](const control::SubmitReply& reply) { accept(reply.task); });
    });
}

void ClusterClient::Worker::recut(const control::Recut& wanted) {
    loop_.post([this, wanted] {
        const auto tell = [this, task = wanted.task](const Result<control::RecutDone>& answer) {
            mailbox_.put([&](Mail& mail) { mail.recuts.emplace_back(task, answer); });
        };
        if (!client_)
            return tell(
                Error{ErrorCode::unavailable, "there is no connection to a cluster", "", "try again when it is back"});
        client_->request(wanted, recut_deadline, [tell](const Result<control::Message>& reply) {
            if (!reply.ok()) return tell(reply.error());
            const auto* done = get_if<control::RecutDone>(&*reply);
            if (done) return tell(*done);
            tell(Error{ErrorCode::failed, "the cluster gave no answer to the re-cut", "", "see the logs"});
        });
    });
}

void ClusterClient::Worker::ask_policies() {
    loop_.post([this] {
        poll<control::PoliciesState>(control::QueryPolicies{}, policies_pending_,
                                     [](Mail& mail, control::PoliciesState came) { mail.policies = std::move(came); });
    });
}

void ClusterClient::Worker::change_policies(control::Message change) {
    loop_.post([this, change = std::move(change)] {
        ask<control::PolicyNumber>(change, [this](const control::PolicyNumber& made) {
            mailbox_.put([&](Mail& mail) { mail.policy_set = made.version; });
        });
    });
}

void ClusterClient::Worker::try_policies(const std::vector<std::string>& settings) {
    loop_.post([this, settings] {
        ask<control::PolicyTrial>(
            control::TryPolicies{settings},
            [this](const control::PolicyTrial& trial) { mailbox_.put([&](Mail& mail) { mail.policy_trial = trial; }); },
            trial_deadline);
    });
}

void ClusterClient::Worker::submit(std::string text, std::string folder, std::uint64_t exception) {
    loop_.post([this, text = std::move(text), folder = std::move(folder), exception] {
        // Use the current state to tell whether the nodes read this machine's files themselves.
        fetch_state([this, text, folder, exception](const control::ClusterState& state) {
            Draft draft;
            draft.text = text;
            draft.folder = folder;
            draft.exception = exception;
            begin_submission(state, std::move(draft));
        });
    });
}

void ClusterClient::Worker::send(const std::shared_ptr<const submit::Submission>& submission, std::uint64_t exception) {
    ask<control::SubmitReply>(submission->message, [this, submission, exception](const control::SubmitReply& reply) {
        if (reply.uploads.empty()) return accept(reply.task, exception);
        if (exception > 0) resubmitted_[reply.task] = exception;
        courier_->run([this, submission, reply, keys = keys_](const std::atomic<bool>& cancelled) {
            const auto brought = submit::upload({*context_, keys}, reply.uploads, submission->blobs, cancelled,
                                                [this](Bytes done, Bytes total) {
                                                    tell_upload(Upload{done, total});
                                                });
            tell_upload({});
            control::UploadsDone done{reply.task, {}};
            if (!brought.ok()) done.error = brought.error();
            loop_.post([this, done] {
                if (done.error) refuse(*done.error);
                brought_[done.task] = done;
                tell_brought(done, false);
            });
        });
    });
}

/// Reports finished uploads. The cluster waits for a client whose connection broke, so an unsent report is sent again
/// after reconnecting. `again` marks a repeated report: its first answer may have been lost with the connection.
void ClusterClient::Worker::tell_brought(const control::UploadsDone& done, bool again) {
    if (!client_) return;
    client_->request(done, request_deadline, [this, done, again](const Result<control::Message>& reply) {
        if (!reply.ok() && reply.error().code == ErrorCode::unavailable) return;
        if (!reply.ok() && reply.error().code == ErrorCode::deadline) return tell_brought(done, true);
        brought_.erase(done.task);
        const auto resubmitted = resubmitted_.extract(done.task);
        if (!reply.ok() && !(again && reply.error().code == ErrorCode::not_found)) return refuse(reply.error());
        if (!done.error) accept(done.task, resubmitted ? resubmitted.mapped() : 0);
    });
}

void ClusterClient::Worker::accept(const TaskId& task, std::uint64_t exception) {
    mailbox_.put([&](Mail& mail) { mail.submitted.push_back(task.value()); });
    if (exception == 0 || !client_) return;
    client_->request(control::DropException{exception}, request_deadline, [this](Result<control::Message> reply) {
        // If somebody else has closed the exception already, all is well.
        if (!reply.ok() && reply.error().code != ErrorCode::not_found) refuse(reply.error());
    });
}

void ClusterClient::Worker::tell_upload(std::optional<Upload> upload) {
    mailbox_.put([&](Mail& mail) { mail.upload = upload; });
}

void ClusterClient::Worker::cancel_upload() {
    loop_.post([this] { courier_->cancel(); });
}

/// Uses the current state of the cluster, as the node's address may have changed.
void ClusterClient::Worker::save_results(const TaskId& task, std::string file) {
    loop_.post([this, task, file = std::move(file)] {
        fetch_state([this, task, file](const control::ClusterState& state) {
            courier_->run([this, task, file, state, keys = keys_](const std::atomic<bool>& cancelled) {
                const auto saved =
                    submit::save_results({*context_, keys}, state, task, options_.uploads / "fetched", file, cancelled);
                if (!saved.ok()) return refuse(saved.error());
                mailbox_.put([&](Mail& mail) { mail.saved.push_back(file); });
            });
        });
    });
}

void ClusterClient::Worker::command(control::Message message) {
    loop_.post([this, message = std::move(message)] {
        if (!client_) return;
        client_->request(message, request_deadline, [this](Result<control::Message> reply) {
            if (!reply.ok()) refuse(reply.error());
        });
    });
}

void ClusterClient::Worker::retry() {
    loop_.post([this] {
        // A key that could only watch may have more rights by now. A connected viewer is left alone.
        const bool connected = client_ && client_->state().kind == link::ControlClient::State::Kind::connected;
        const bool may_have_more =
            !connected && std::exchange(asked_role_, control::Role::operate) == control::Role::viewer;
        if (client_ && !may_have_more) return client_->retry_now();
        if (!client_ && retry_timer_ == 0) return;
        if (retry_timer_ != 0) loop_.cancel(retry_timer_);
        begin();
    });
}

void ClusterClient::Worker::tell(Status status) {
    status_ = std::move(status);
    status_.hosted = host_ && host_->hosts();
    status_.embedded = host_ != nullptr;
    mailbox_.put([&](Mail& mail) { mail.status = status_; });
}

void ClusterClient::Worker::refuse(const Error& error) {
    mailbox_.put([&](Mail& mail) { mail.refused.push_back(error.message()); });
}

}  // namespace divisi::client
