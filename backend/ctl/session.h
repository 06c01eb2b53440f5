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

/// How a command reaches a cluster.
struct Target {
    std::string connection;  ///< --connect FILE; empty: the user's running cluster
    std::string keys;        ///< key file, tcp only; empty: client.key in the data folder
    bool embed = false;      ///< start one when none runs
    control::Role role = control::Role::viewer;
    std::optional<Duration> patience =
        {};  ///< how long follow() waits for an orchestrator that is away; none: for ever
    const std::atomic<bool>* cancelled = nullptr;  ///< set by another thread: give up opening, leave nothing behind
};

/// A command's connection to the orchestrator. Runs its own loop on the calling thread, inside the calls.
class Session {
public:
    static Result<std::unique_ptr<Session>> open(const Target& target);
    ~Session();

    /// Sends and waits for the answer.
    Result<control::Message> request(const control::Message& message, Duration deadline = std::chrono::seconds(20));
    template <typename M>
    Result<M> ask(const control::Message& message, Duration deadline = std::chrono::seconds(20)) {
        DIVISI_ASSIGN(control::Message reply, request(message, deadline));
        if (M* wanted = std::get_if<M>(&reply)) return std::move(*wanted);
        return Error{ErrorCode::failed, std::string("unexpected answer: ") + control::kind_name(reply),
                     connection_.endpoint, "run the same Divisi version on all machines"};
    }
    /// The cluster's state now, and from here on its events (follow()).
    Result<control::Snapshot> subscribe();
    /// The cluster's state now; with `loads`, what its instances are doing too.
    Result<control::ClusterState> snapshot(std::vector<control::InstanceLoad>* loads = nullptr);

    /// Hands every message, and every snapshot once it is whole, to `on_message` until it returns false, or until
    /// interrupt() was called (then once more per message, as the caller may wait for an end). While the orchestrator
    /// is away it waits, and says so.
    Result<void> follow(std::function<bool(const control::Message&)> on_message, std::function<void()> on_interrupt);
    /// Inside follow(): sends without waiting.
    void post(const control::Message& message) { client_->send(message); }
    /// Inside follow(): sends, and hands the answer to `on_reply`, which ends follow() by false.
    void request_later(const control::Message& message, std::function<bool(Result<control::Message>)> on_reply,
                       Duration deadline = std::chrono::seconds(20));
    /// Inside follow(): ends it.
    void leave();
    /// Runs `work`, which takes long, on a thread of its own while this one keeps the connection alive; interrupt()
    /// then calls `on_interrupt` here. Returns when `work` has.
    void beside(const std::function<void()>& work, std::function<void()> on_interrupt);
    /// Waits until the nodes of a cluster that is just being started, by this program or another, have joined, and for
    /// a short time until its gateways and routers have, so that plans know the paths between MICs. Says whom of these
    /// it waited for in vain.
    Result<void> wait_for_members();
    /// An embedded cluster ends with this session: waits until other programs' tasks on it have ended, or until
    /// interrupt(). `on_wait` hears how many there are, if any.
    Result<void> outlast_others(const std::function<void(std::size_t)>& on_wait);
    /// Any thread: from the signal thread.
    void interrupt();
    bool interrupted() const { return interrupted_; }

    /// The cluster on the user's data folder, not one that --connect names.
    bool is_own() const { return own_; }
    TimePoint now() const { return loop_.clock().now(); }
    embed::EmbeddedCluster* embedded() const { return cluster_.get(); }
    const link::Connection& connection() const { return connection_; }
    link::Context& context() { return context_; }
    /// This client's own: of a file on tcp, of this connection alone on ipc.
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
    std::optional<Result<control::Snapshot>>* subscribed_ = nullptr;  ///< where subscribe() waits for it
    std::function<bool(const control::Message&)> on_message_;
    std::function<void()> on_interrupt_;
    std::vector<control::Message> early_;      ///< came between an answer and follow()
    std::size_t nodes_wanted_ = 0;             ///< before something is submitted
    std::vector<std::string> devices_wanted_;  ///< likewise, of a cluster that another program is starting
    bool interrupted_ = false;
    std::optional<Duration> patience_;
    bool own_ = false;
    std::function<void(const link::ControlClient::State&)> on_state_;
};

}  // namespace divisi::ctl
