// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/embed/embedded_cluster.h"
#include "backend/link/control_client.h"
#include "backend/link/subscriber.h"
#include "backend/link/zmq_transport.h"

namespace divisi::ctl {

class Arrivals;

/// Settings by which a command finds and reaches a cluster.
struct Target {
    std::string connection;  ///< value of --connect FILE; empty: the user's running cluster
    std::string keys;        ///< key file, tcp only; empty: client.key in the data folder
    bool embed = false;      ///< whether to start a cluster if none runs
    control::Role role = control::Role::viewer;
    std::optional<Duration> patience =
        {};  ///< how long follow() waits for an orchestrator that is away; none: without limit
    const std::atomic<bool>* cancelled = nullptr;  ///< set by another thread to cancel the opening and undo its effects
};

/// A command's connection to the orchestrator. The event loop runs on the calling thread, only during calls.
class Session {
public:
    static Result<std::unique_ptr<Session>> open(const Target& target);
    ~Session();

    /// Sends a message and waits for the answer.
    Result<control::Message> request(const control::Message& message, Duration deadline = std::chrono::seconds(20));
    template <typename M>
    Result<M> ask(const control::Message& message, Duration deadline = std::chrono::seconds(20)) {
        DIVISI_ASSIGN(control::Message reply, request(message, deadline));
        if (M* wanted = get_if<M>(&reply)) return std::move(*wanted);
        return Error{ErrorCode::failed, std::string("unexpected answer: ") + control::kind_name(reply),
                     connection_.endpoint, "run the same Divisi version on all machines"};
    }
    /// Returns the cluster's current state, and subscribes to its events for follow().
    Result<control::Snapshot> subscribe();
    /// Returns the cluster's current state; `loads` receives the loads of its instances.
    Result<control::ClusterState> snapshot(std::vector<control::InstanceLoad>* loads = nullptr);

    /// Passes every message and every complete snapshot to `on_message` until that function returns false. interrupt()
    /// calls `on_interrupt`. Messages are still passed on after that, since the caller may wait for the task's end.
    /// While the orchestrator is away, follow() waits and reports the wait; an interrupt ends the wait.
    Result<void> follow(std::function<bool(const control::Message&)> on_message, std::function<void()> on_interrupt);
    /// Sends without waiting; for use inside follow().
    void post(const control::Message& message) { client_->send(message); }
    /// Sends, and passes the answer to `on_reply`, which ends follow() by returning false; for use inside follow().
    void request_later(const control::Message& message, std::function<bool(Result<control::Message>)> on_reply,
                       Duration deadline = std::chrono::seconds(20));
    /// Ends follow(); for use inside follow().
    void leave();
    /// Runs the long operation `work` on its own thread while this thread keeps the connection alive. During that time
    /// interrupt() calls `on_interrupt` on this thread. Returns when `work` has returned.
    void beside(const std::function<void()>& work, std::function<void()> on_interrupt);
    /// Waits until the nodes of a starting cluster have joined, then a short time for its gateways and routers. Plans
    /// then include the paths between MICs. Prints the devices that did not register in time.
    Result<void> wait_for_members();
    /// Waits until other programs' tasks have ended, or until interrupt(), because an embedded cluster ends with this
    /// session. `on_wait` receives the number of other tasks, if there are any.
    Result<void> outlast_others(const std::function<void(std::size_t)>& on_wait);
    /// Interrupts the session from any thread, such as the signal thread.
    void interrupt();
    bool interrupted() const { return interrupted_; }

    /// Returns whether this is the cluster on the user's data folder, and not a cluster that --connect names.
    bool is_own() const { return own_; }
    TimePoint now() const { return loop_.clock().now(); }
    embed::EmbeddedCluster* embedded() const { return cluster_.get(); }
    const link::Connection& connection() const { return connection_; }
    link::Context& context() { return context_; }
    /// Returns this client's key pair. On tcp it is from a file; on ipc it was made for this connection.
    const std::optional<link::KeyPair>& keys() const { return keys_; }

private:
    Session() = default;
    Result<void> connect(const Target& target);
    link::Subscriber::Heard heard();
    void take(const control::Message& message);
    bool supervise(std::optional<Error>& failure);
    Result<void> wait_while(const std::function<bool()>& lacking, Arrivals& here, Duration limit);

    link::EventLoop loop_;
    link::Context context_;
    std::unique_ptr<embed::EmbeddedCluster> cluster_;
    link::Connection connection_;
    std::unique_ptr<link::ZmqTransport> transport_;
    std::optional<link::KeyPair> keys_;
    std::unique_ptr<link::ControlClient> client_;
    std::unique_ptr<link::Subscriber> subscriber_;
    std::optional<Result<control::Snapshot>>* subscribed_ = nullptr;  ///< subscribe()'s variable for the snapshot
    std::function<bool(const control::Message&)> on_message_;
    std::function<void()> on_interrupt_;
    std::vector<control::Message> early_;      ///< messages that arrived between an answer and follow()
    std::size_t nodes_wanted_ = 0;             ///< nodes to wait for before a submission
    std::vector<std::string> devices_wanted_;  ///< devices to wait for, if another program is starting the cluster
    bool interrupted_ = false;
    std::optional<Duration> patience_;
    bool own_ = false;
    std::function<void(const link::ControlClient::State&)> on_state_;
};

}  // namespace divisi::ctl
