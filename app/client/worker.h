// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <set>
#include <thread>

#include "app/client/cluster_client.h"
#include "app/client/courier.h"
#include "app/client/mailbox.h"
#include "app/client/subscription.h"
#include "backend/link/control_client.h"
#include "backend/link/event_loop.h"
#include "backend/link/security.h"
#include "backend/link/subscriber.h"
#include "backend/link/zmq_transport.h"
#include "backend/submit/submission.h"

namespace divisi::client {

inline constexpr Duration request_deadline = std::chrono::seconds(20);
/// A trial compiles and simulates every running task twice.
inline constexpr Duration trial_deadline = std::chrono::minutes(2);

/// The orchestrator gives up by itself if the new plan is not ready in time (control::recut_patience). After that it
/// waits for the end of a step, whose duration is unlimited.
inline constexpr Duration recut_deadline = std::chrono::hours(24);

/// The connection's thread: starts a cluster if requested, connects, subscribes, and keeps retrying. All members except
/// the mailbox and the loop's post() belong to that thread.
class ClusterClient::Worker {
public:
    explicit Worker(ClusterOptions options);
    ~Worker();

    Mailbox& mailbox() { return mailbox_; }
    /// Submits a task. Once it is accepted, closes the exception with this number; 0: none.
    void submit(std::string text, std::string folder, std::uint64_t exception = 0);
    /// Sends a command that is answered by Done or refused.
    void command(control::Message message);
    void cancel_upload();
    void save_results(const TaskId& task, std::string file);
    void ask_mesh();
    void ask_signals(std::uint64_t after);
    void ask_services(const control::WatchServices& question);
    void ask_receipts(const control::QueryLog& question);
    void ask_log(const control::QueryLog& question);
    void retry_exception(std::uint64_t number);
    void ask_stores(const control::ListStores& question);
    void ask_store_rows(const control::ReadStore& question);
    void ask_lines(const control::QueryLines& question);
    void ask_advice(const TaskId& task);
    void watch_spans(const TaskId& task);
    void export_version(std::uint64_t number, std::string file);
    void recut(const control::Recut& wanted);
    void ask_policies();
    void change_policies(control::Message change);
    void try_policies(const std::vector<std::string>& settings);
    void ask_modules();
    void start_module(const std::string& name, const std::string& program);
    void stop_module(const std::string& name, const std::string& version);
    void change_module(const control::ChangeModule& change);
    void retry();

private:
    void run();
    void begin();
    Result<void> connect();
    void on_state(const link::ControlClient::State& state);
    void on_message(const control::Message& message);
    void subscribe();
    void tell_behind(const Error& problem);
    void look_for_silence();
    /// Returns whether a refused connection should be retried with the viewer role.
    bool watches_only(const link::ControlClient::State& state);
    link::Subscriber::Heard heard();
    /// Calls `then` with the current state of the cluster, or refuses.
    void fetch_state(std::function<void(const control::ClusterState&)> then);
    void refuse_waiting(const Error& why);
    void take(control::Snapshot snapshot);
    void take(const std::vector<control::Event>& events);
    void wait_and_begin_again(const Error& error);
    void supervise();
    void tell(Status status);
    void tell_connected(const control::Welcome& welcome);
    /// A module that was listed but has not connected yet.
    struct StartedModule {
        std::string name;
        std::uint64_t number = 0;       ///< number in the list
        std::set<std::int64_t> before;  ///< processes of the same name that existed before
        TimePoint deadline{};
    };
    void list_module(const std::string& name, const std::string& program, const control::ModulesState& before);
    void await_module(const StartedModule& started);
    void module_changed();
    void refuse(const Error& error);  ///< may be called from any thread
    /// A task being submitted, with the cluster data another thread needs for it.
    struct Draft {
        std::string text, folder;
        std::uint64_t exception = 0;
        control::ClusterState cluster;  ///< nodes, and what is needed to fetch the version that the task begins with
        bool shared = false;            ///< whether the nodes read this machine's files themselves
        std::optional<control::ModelVersion> begins;  ///< version whose weights the task begins with
        std::string skeleton;                         ///< skeleton of that version's task
    };
    void begin_submission(const control::ClusterState& state, Draft draft);
    void prepare_and_send(Draft draft);
    /// Calls `then` with the skeleton that submit::trained_graph() needs for the task, or refuses.
    void with_skeleton(const control::TaskView& task, std::function<void(const std::string&)> then);
    void send(const std::shared_ptr<const submit::Submission>& submission, std::uint64_t exception);
    void tell_brought(const control::UploadsDone& done, bool again);
    void accept(const TaskId& task, std::uint64_t exception = 0);
    void tell_upload(std::optional<Upload> upload);  ///< may be called from any thread
    /// Passes the answer to `then` if it is an M; otherwise refuses.
    template <typename M, typename Then>
    void ask(const control::Message& message, Then then, Duration deadline = request_deadline);
    /// Passes the answer to `then` if it is an M; otherwise passes the error.
    template <typename M, typename Then>
    void question(const control::Message& message, Then then, Duration deadline = request_deadline);
    /// Sends a periodic question and puts the answer, if it is an M, into the mailbox. Sends nothing while `pending`.
    template <typename M, typename Put>
    void poll(const control::Message& message, bool& pending, Put put);

    ClusterOptions options_;
    Mailbox mailbox_;
    link::EventLoop loop_;
    std::unique_ptr<link::Context> context_;
    std::unique_ptr<Host> host_;
    std::unique_ptr<link::ZmqTransport> transport_;
    std::unique_ptr<Courier> courier_;
    link::Connection target_;
    std::optional<link::KeyPair> keys_;
    std::unique_ptr<link::ControlClient> client_;
    std::unique_ptr<link::Subscriber> subscriber_;
    /// Callbacks that wait for the current state of the cluster.
    std::vector<std::function<void(const control::ClusterState&)>> waiting_;
    std::map<TaskId, control::UploadsDone> brought_;  ///< finished uploads that the cluster has not acknowledged
    /// tasks whose files are being uploaded, with the exceptions they resubmit
    std::map<TaskId, std::uint64_t> resubmitted_;
    bool mesh_pending_ = false, signals_pending_ = false, services_pending_ = false, receipts_pending_ = false;
    bool policies_pending_ = false, modules_pending_ = false, log_pending_ = false;
    Status status_;
    bool silence_told_ = false;                          ///< status_ already reports the silence
    control::Role asked_role_ = control::Role::operate;  ///< viewer if this key may not operate
    link::EventLoop::TimerId retry_timer_ = 0;
    Subscription subscription_;
    Subscription::Attempt attempt_ = 0;
    std::thread thread_;
};

template <typename M, typename Then>
void ClusterClient::Worker::ask(const control::Message& message, Then then, Duration deadline) {
    if (!client_) return refuse({ErrorCode::unavailable, "there is no connection to a cluster", "", "try again later"});
    client_->request(message, deadline, [this, then](Result<control::Message> reply) {
        if (!reply.ok()) return refuse(reply.error());
        const M* answer = get_if<M>(&*reply);
        if (!answer) return refuse({ErrorCode::failed, "the cluster gave no answer to the task", "", "see the logs"});
        then(*answer);
    });
}

template <typename M, typename Then>
void ClusterClient::Worker::question(const control::Message& message, Then then, Duration deadline) {
    const bool connected = client_ && client_->state().kind == link::ControlClient::State::Kind::connected;
    if (!connected)
        return then(
            Result<M>(Error{ErrorCode::unavailable, "there is no connection to a cluster", "", "try again later"}));
    client_->request(message, deadline, [then](Result<control::Message> reply) {
        if (!reply.ok()) return then(Result<M>(reply.error()));
        M* answer = get_if<M>(&*reply);
        if (answer) return then(Result<M>(std::move(*answer)));
        then(Result<M>(Error{ErrorCode::failed, "the cluster gave another answer than was asked for", "",
                             "run the same Divisi version on all machines"}));
    });
}

template <typename M, typename Put>
void ClusterClient::Worker::poll(const control::Message& message, bool& pending, Put put) {
    const bool connected = client_ && client_->state().kind == link::ControlClient::State::Kind::connected;
    if (!connected || std::exchange(pending, true)) return;
    client_->request(message, request_deadline, [this, &pending, put](Result<control::Message> reply) {
        pending = false;
        M* answer = reply.ok() ? get_if<M>(&*reply) : nullptr;
        if (!answer) return;
        mailbox_.put([&](Mail& mail) {
            put(mail, std::move(*answer));
            mail.heard = mail.heard || subscription_.follows();
        });
    });
}

}  // namespace divisi::client
