// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/worker.h"

#include "app/client/submission.h"
#include "backend/link/connection_file.h"
#include "backend/link/sockets.h"

namespace divisi::client {

namespace {

constexpr Duration request_deadline = std::chrono::seconds(20);
constexpr Duration start_pause = std::chrono::seconds(5);

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
    loop_.every(std::chrono::seconds(1), [this] { supervise(); });
    begin();
    loop_.run();
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
        tell({Connection::starting, {}, {}, {}, {}});
        if (!host_) {
            DIVISI_ASSIGN(host_, options_.start());
        }
        file = host_->connection();
    }
    DIVISI_ASSIGN(const link::Connection target, link::read_connection(file));
    link::SocketSecurity security;
    if (!link::is_ipc(target.endpoint)) {
        DIVISI_ASSIGN(security.keys, link::load_or_make_keys(options_.keys));
    }
    client_.reset();
    transport_ = std::make_unique<link::ZmqTransport>(*context_, loop_, security.keys);
    client_ = std::make_unique<link::ControlClient>(loop_, *transport_, target,
                                                    control::Hello{"divisi", options_.version, control::Role::operate});
    client_->start([this](const link::ControlClient::State& state) { on_state(state); },
                   [this](std::uint64_t, const control::Message& message) { on_message(message); });
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
    Status status;
    status.where = status_.where;
    status.problem = QString::fromStdString(state.detail);
    if (state.kind == Kind::connected) {
        status.connection = Connection::connected;
        status.where = QString::fromStdString(state.welcome.cluster);
        status.role = state.welcome.role;
        status.problem.clear();
        subscribe();
    } else if (state.kind == Kind::waiting) {
        status.connection = Connection::waiting;
        const Duration left = state.next_attempt ? *state.next_attempt - loop_.clock().now() : Duration{};
        status.retry_at = steady(left);
    } else {
        status.connection = Connection::connecting;
    }
    tell(status);
}

void ClusterClient::Worker::subscribe() {
    client_->request(control::Subscribe{}, request_deadline, [this](Result<control::Message> reply) {
        if (!reply.ok()) return refuse(reply.error());
        if (auto* snapshot = std::get_if<control::Snapshot>(&*reply)) {
            mailbox_.put([&](Mail& mail) {
                mail.snapshot = std::move(snapshot->state);
                mail.events.clear();  // older than the snapshot
                mail.heard = true;
            });
            overflow_ = false;
        }
    });
}

void ClusterClient::Worker::on_message(const control::Message& message) {
    bool full = false;
    mailbox_.put([&](Mail& mail) {
        mail.heard = true;
        if (const auto* push = std::get_if<control::EventPush>(&message)) {
            full = mail.events.size() + push->events.size() > mailbox_limit;
            if (full) mail.events.clear();
            else if (!overflow_) mail.events.insert(mail.events.end(), push->events.begin(), push->events.end());
        } else if (const auto* loads = std::get_if<control::LoadPush>(&message)) {
            if (mail.loads.size() + loads->loads.size() <= mailbox_limit)
                mail.loads.insert(mail.loads.end(), loads->loads.begin(), loads->loads.end());
        }
    });
    if (full && !overflow_.exchange(true)) subscribe();
}

void ClusterClient::Worker::supervise() {
    if (!host_) return;
    const Result<void> alive = host_->supervise();
    if (alive.ok()) return;
    client_.reset();
    host_.reset();
    if (retry_timer_ == 0) wait_and_begin_again(alive.error());
}

void ClusterClient::Worker::submit(std::string text, std::string folder) {
    loop_.post([this, text = std::move(text), folder = std::move(folder)] {
        if (!client_)
            return refuse({ErrorCode::unavailable, "there is no connection to a cluster", "", "try again later"});
        Result<control::SubmitTask> submission = make_submission(text, folder, options_.uploads);
        if (!submission.ok()) return refuse(submission.error());
        client_->request(std::move(*submission), request_deadline, [this](Result<control::Message> reply) {
            if (!reply.ok()) return refuse(reply.error());
            const auto* accepted = std::get_if<control::SubmitReply>(&*reply);
            if (!accepted)
                return refuse({ErrorCode::failed, "the cluster gave no answer to the task", "", "see the logs"});
            if (!accepted->uploads.empty())
                return refuse({ErrorCode::unsupported, "this cluster wants the task's files brought to its nodes", "",
                               "put them on the node that loads the data and give them as node:/path"});
            mailbox_.put([&](Mail& mail) { mail.submitted.push_back(accepted->task.value()); });
        });
    });
}

void ClusterClient::Worker::stop(TaskId task) {
    loop_.post([this, task = std::move(task)] {
        if (!client_) return;
        client_->request(control::StopTask{task, "stopped from the console"}, request_deadline,
                         [this](Result<control::Message> reply) {
                             if (!reply.ok()) refuse(reply.error());
                         });
    });
}

void ClusterClient::Worker::retry() {
    loop_.post([this] {
        if (client_) return client_->retry_now();
        if (retry_timer_ == 0) return;
        loop_.cancel(retry_timer_);
        begin();
    });
}

void ClusterClient::Worker::tell(Status status) {
    status_ = std::move(status);
    mailbox_.put([&](Mail& mail) { mail.status = status_; });
}

void ClusterClient::Worker::refuse(const Error& error) {
    mailbox_.put([&](Mail& mail) { mail.refused.push_back(error.message()); });
}

}  // namespace divisi::client
