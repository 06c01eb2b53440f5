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

/// The connection's thread: starts a cluster if requested, connects, subscribes, and keeps retrying. Other threads use
/// only the mailbox, the options, the context, and functions that post to the loop or the mailbox.
class ClusterClient::Worker {
public:
    explicit Worker(ClusterOptions options);
    ~Worker();

    Mailbox& mailbox() { return mailbox_; }
    void send(Sending how, const control::Message& message);
    void carry_out(const LocalOrder& order);
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
    /// Returns whether a refused connection is to be retried with the viewer role.
    bool watches_only(const link::ControlClient::State& state);
    link::Subscriber::Heard heard();
    /// Calls `then` with the current state of the cluster. After an error, calls refuse() instead.
    void fetch_state(std::function<void(const control::ClusterState&)> then);
    void refuse_waiting(const Error& why);
    void take(control::Snapshot snapshot);
    void take(const std::vector<control::Event>& events);
    void wait_and_begin_again(const Error& error);
    void supervise();
    void tell(Status status);
    void tell_connected(const control::Welcome& welcome);
    void poll(const control::Message& message);
    void ask(const control::Message& message);
    void send_order(const control::Message& message);
    bool connected() const;
    void retry_exception(const control::RetryException& retried);
    void change_module(const control::ChangeModule& change);
    /// Submits a task. Once it is accepted, closes its exception.
    void carry(const SubmitText& order);
    void carry(const SaveResults& order);
    void carry(const ExportVersion& order);
    void carry(const CancelUpload& order);
    void carry(const StartModule& order);
    /// A module that was added to the cluster's list of modules but has not connected yet.
    struct StartedModule {
        std::string name;
        std::uint64_t number = 0;       ///< number of the module in the cluster's list
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
        control::ClusterState cluster;  ///< nodes, and the data to fetch the version that the task begins with
        bool shared = false;            ///< whether the nodes read this machine's files themselves
        std::optional<control::ModelVersion> begins;  ///< version whose weights the task begins with
        std::string skeleton;                         ///< skeleton of that version's task
    };
    void begin_submission(const control::ClusterState& state, Draft draft);
    void prepare_and_send(Draft draft);
    /// Calls `then` with the skeleton that submit::trained_graph() needs for the task. After an error, calls refuse()
    /// instead.
    void with_skeleton(const control::TaskView& task, std::function<void(const std::string&)> then);
    void send(const std::shared_ptr<const submit::Submission>& submission, std::uint64_t exception);
    void tell_brought(const control::UploadsDone& done, bool again);
    void accept(const TaskId& task, std::uint64_t exception = 0);
    void tell_upload(std::optional<Upload> upload);  ///< may be called from any thread
    /// Passes the answer to `then` if it has type M; otherwise calls refuse().
    template <typename M, typename Then>
    void request(const control::Message& message, Then then);

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
    /// tasks whose files are being uploaded, each with the exception that the task resubmits
    std::map<TaskId, std::uint64_t> resubmitted_;
    /// Types of poll() questions that are not answered yet, each with its QueryLog::kind (otherwise empty).
    std::set<std::pair<std::size_t, std::string>> polled_;
    Status status_;
    bool silence_told_ = false;                          ///< whether status_ already reports the silence
    control::Role asked_role_ = control::Role::operate;  ///< role requested by the last connection: viewer if the key
                                                         ///< does not permit operating
    link::EventLoop::TimerId retry_timer_ = 0;
    Subscription subscription_;
    Subscription::Attempt attempt_ = 0;
    std::thread thread_;
};

template <typename M, typename Then>
void ClusterClient::Worker::request(const control::Message& message, Then then) {
    if (!client_) return refuse({ErrorCode::unavailable, "there is no connection to a cluster", "", "try again later"});
    client_->request(message, request_deadline, [this, then](Result<control::Message> reply) {
        if (!reply.ok()) return refuse(reply.error());
        const M* answer = get_if<M>(&*reply);
        if (!answer) return refuse({ErrorCode::failed, "the cluster gave no answer to the task", "", "see the logs"});
        then(*answer);
    });
}

}  // namespace divisi::client
