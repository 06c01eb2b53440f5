// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/worker.h"

#include "app/client/embedded_host.h"
#include "backend/control/protocol/log_messages.h"
#include "backend/control/state/policy_trial.h"
#include "backend/control/types/module_types.h"
#include "backend/control/types/store_types.h"
#include "backend/link/connection_file.h"
#include "backend/link/sockets.h"
#include "backend/submit/results.h"
#include "backend/submit/transfers.h"

namespace divisi::client {

namespace {

constexpr Duration start_pause = std::chrono::seconds(5);
/// Time without any message after which the status reports the silence: two and a half heartbeats. The user is thus
/// told within two seconds that the displayed data is old.
constexpr Duration told_silence = 5 * control::heartbeat_interval / 2;
/// Interval for checking the silence.
constexpr Duration silence_look = std::chrono::milliseconds(250);
/// Time limit for a trial, which compiles and simulates every running task twice.
constexpr Duration trial_deadline = std::chrono::minutes(2);
/// Time limit for re-cuts. The orchestrator itself cancels a re-cut if the new plan is not ready within
/// control::recut_patience. It then switches plans at the end of a step, whose duration is unlimited.
constexpr Duration recut_deadline = std::chrono::hours(24);
/// Time limit for store queries, longer than the orchestrator waits for a node.
constexpr Duration store_deadline = std::chrono::seconds(25);
/// Time limit for a search for better cuts, which takes a minute at most.
constexpr Duration advice_deadline = std::chrono::minutes(2);

/// Returns the time limit for the answer to a message.
Duration deadline_of(const control::Message& message) {
    if (holds_alternative<control::TryPolicies>(message)) return trial_deadline;
    if (holds_alternative<control::Recut>(message)) return recut_deadline;
    if (holds_alternative<control::AskRecutAdvice>(message)) return advice_deadline;
    const bool reads_store =
        holds_alternative<control::ListStores>(message) || holds_alternative<control::ReadStore>(message);
    if (reads_store) return store_deadline;
    return request_deadline;
}

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
        keys_ = link::generate_keys();  // keys for nodes on tcp; over ipc, the uid authenticates
    } else {
        DIVISI_ASSIGN(keys_, link::load_or_make_keys(options_.keys));
        security.keys = keys_;
    }
    subscriber_.reset();
    client_.reset();  // also drops the pending requests of the old client
    polled_.clear();
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

/// Returns whether to connect again with the viewer role, because the key does not permit operating. The actions that
/// need other roles are then disabled.
bool ClusterClient::Worker::watches_only(const link::ControlClient::State& state) {
    const bool denied = state.kind == link::ControlClient::State::Kind::waiting && state.code == ErrorCode::denied;
    if (!denied || asked_role_ == control::Role::viewer) return false;
    asked_role_ = control::Role::viewer;
    loop_.post([this] { begin(); });  // called later, because begin() destroys the client that calls this function
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

/// While connected, reports that the displayed data is out of date, until a snapshot arrives.
void ClusterClient::Worker::tell_behind(const Error& problem) {
    // Without a connection nothing is reported, because a new connection requests a new snapshot.
    if (!connected()) return;
    Status status = status_;
    status.connection = Connection::waiting;
    status.problem = QString::fromStdString(problem.message());
    status.retry_at = steady(link::pause_between_snapshots);
    tell(status);
}

/// Reports silence early, as when an orchestrator hangs or a cable is pulled. The connection itself ends only when ten
/// heartbeats are missing.
void ClusterClient::Worker::look_for_silence() {
    if (!connected()) return;
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
        Error{ErrorCode::deadline, "the orchestrator does not respond", target_.endpoint,
              "wait, as the console reconnects by itself; see whether its process hangs or the network is down"}
            .message());
    status.retry_at = steady(control::peer_timeout - silent);
    tell(status);
}

void ClusterClient::Worker::fetch_state(std::function<void(const control::ClusterState&)> then) {
    if (!connected())
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
        mail.events.clear();  // these events are older than the snapshot
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

void ClusterClient::Worker::send(Sending how, const control::Message& message) {
    loop_.post([this, how, message] {
        switch (how) {
            case Sending::poll: return poll(message);
            case Sending::ask: return ask(message);
            case Sending::order: return send_order(message);
        }
    });
}

void ClusterClient::Worker::carry_out(const LocalOrder& order) {
    loop_.post([this, order] { visit([this](const auto& one) { carry(one); }, order); });
}

bool ClusterClient::Worker::connected() const {
    return client_ && client_->state().kind == link::ControlClient::State::Kind::connected;
}

void ClusterClient::Worker::poll(const control::Message& message) {
    const auto type_of = [](const control::Message& one) {
        const auto* log = get_if<control::QueryLog>(&one);
        return std::pair(one.index(), log ? log->kind : std::string());
    };
    const auto type = type_of(message);
    if (!connected() || !polled_.insert(type).second) return;
    client_->request(message, request_deadline, [this, message, type, type_of](Result<control::Message> reply) {
        polled_.erase(type);
        if (!reply.ok() || reply->index() != control::answer_index(message)) return;
        mailbox_.put([&](Mail& mail) {
            std::erase_if(mail.answers, [&](const Answered& one) { return type_of(one.question) == type; });
            mail.answers.push_back({message, std::move(reply)});
            mail.heard = mail.heard || subscription_.follows();
        });
    });
}

void ClusterClient::Worker::ask(const control::Message& message) {
    const auto tell = [this, message](Result<control::Message> answer) {
        mailbox_.put([&](Mail& mail) { mail.answers.push_back({message, std::move(answer)}); });
    };
    const bool recut = holds_alternative<control::Recut>(message);
    if (recut ? !client_ : !connected())
        return tell(Error{ErrorCode::unavailable, "there is no connection to a cluster", "",
                          recut ? "try again when it is back" : "try again later"});
    client_->request(message, deadline_of(message), [tell, message, recut](Result<control::Message> reply) {
        if (!reply.ok() || reply->index() == control::answer_index(message)) return tell(std::move(reply));
        if (recut)
            return tell(Error{ErrorCode::failed, "the cluster gave no answer to the re-cut", "", "see the logs"});
        tell(Error{ErrorCode::failed, "the cluster sent an answer of the wrong type", "",
                   "run the same Divisi version on all machines"});
    });
}

void ClusterClient::Worker::send_order(const control::Message& message) {
    if (const auto* change = get_if<control::ChangeModule>(&message)) return change_module(*change);
    if (const auto* retried = get_if<control::RetryException>(&message)) return retry_exception(*retried);
    const std::optional<std::size_t> named = control::answer_index(message);
    if (!client_ && named)
        return refuse({ErrorCode::unavailable, "there is no connection to a cluster", "", "try again later"});
    const bool watches = control::needed_right(message) == control::Right::watch;
    if (!client_ || (watches && !connected())) return;
    client_->request(message, deadline_of(message), [this, message, named, watches](Result<control::Message> reply) {
        if (!reply.ok() && !watches) return refuse(reply.error());
        if (!reply.ok() || !named) return;
        if (reply->index() != *named)
            return refuse({ErrorCode::failed, "the cluster gave no answer to the task", "", "see the logs"});
        mailbox_.put([&](Mail& mail) { mail.answers.push_back({message, std::move(reply)}); });
    });
}

void ClusterClient::Worker::retry_exception(const control::RetryException& retried) {
    request<control::SubmitReply>(retried, [this](const control::SubmitReply& reply) { accept(reply.task); });
}

void ClusterClient::Worker::carry(const SubmitText& order) {
    // Use the current state to find out whether the nodes read this machine's files themselves.
    fetch_state([this, order](const control::ClusterState& state) {
        Draft draft;
        draft.text = order.text.toStdString();
        draft.folder = order.folder.toStdString();
        draft.exception = order.exception;
        begin_submission(state, std::move(draft));
    });
}

void ClusterClient::Worker::send(const std::shared_ptr<const submit::Submission>& submission, std::uint64_t exception) {
    request<control::SubmitReply>(
        submission->message, [this, submission, exception](const control::SubmitReply& reply) {
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

/// Reports finished uploads. The cluster waits for a client whose connection broke, so an unacknowledged report is sent
/// again after reconnecting. `again` marks a repeated report: the answer to the first one may have been lost with the
/// connection.
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
        // It is not an error if another client has closed the exception already.
        if (!reply.ok() && reply.error().code != ErrorCode::not_found) refuse(reply.error());
    });
}

void ClusterClient::Worker::tell_upload(std::optional<Upload> upload) {
    mailbox_.put([&](Mail& mail) { mail.upload = upload; });
}

void ClusterClient::Worker::carry(const CancelUpload&) { courier_->cancel(); }

/// Uses the current state of the cluster, as the node's address may have changed.
void ClusterClient::Worker::carry(const SaveResults& order) {
    fetch_state([this, task = order.task, file = order.file.toStdString()](const control::ClusterState& state) {
        courier_->run([this, task, file, state, keys = keys_](const std::atomic<bool>& cancelled) {
            const auto saved =
                submit::save_results({*context_, keys}, state, task, options_.uploads / "fetched", file, cancelled);
            if (!saved.ok()) return refuse(saved.error());
            mailbox_.put([&](Mail& mail) { mail.saved.push_back(file); });
        });
    });
}

void ClusterClient::Worker::retry() {
    loop_.post([this] {
        // If the key permitted only watching, it may have more rights by now, so connect again. A connection that asked
        // for the viewer role is not interrupted.
        const bool may_have_more =
            !connected() && std::exchange(asked_role_, control::Role::operate) == control::Role::viewer;
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
    mailbox_.put([&](Mail& mail) { mail.refused.push_back(error); });
}

}  // namespace divisi::client
