// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backend/control/protocol/failure_detector.h"
#include "backend/control/protocol/message_fwd.h"
#include "backend/control/protocol/silence.h"
#include "backend/control/state/state.h"
#include "backend/control/types/note_limiter.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline core {

/// A connection and the peer that uses it.
struct Session {
    Credentials credentials;
    std::optional<Role> role;  ///< role granted by Hello
    std::string program;
    std::string process;         ///< identity in Hello::process: the same on all connections of one process
    std::string key;             ///< key that the client uses with nodes on tcp; trusted because of the client's uid
    NodeId node;                 ///< the node bound by bind_node()
    InstanceId instance;         ///< the instance bound by bind_instance()
    bool reports_spans = false;  ///< value of RegisterInstance::reports_spans
    NoteLimiter notes;           ///< limits the notes that the peer sends
};

/// Tracks the peers of the control plane's connections, without I/O. Knows the node or instance behind each connection,
/// the messages that each may send, and the peers that are away and may return. Times are in lived time (LivedTime).
class Sessions {
public:
    using Map = std::map<PeerId, Session>;

    /// A node or instance whose connection broke and whose return is awaited.
    struct Away {
        PeerId peer;  ///< broken connection of the process
        TimePoint until{};
        std::string why;
        std::optional<Death> death = std::nullopt;  ///< result of FailureDetector::end()
        std::int64_t step = 0;                      ///< last completed step of the instance's task at that time
    };

    void open(PeerId peer, Credentials credentials);
    /// Removes and returns the session; none if there is no such session.
    std::optional<Session> close(PeerId peer);

    /// Subscribes the peer to all events until its session is closed.
    void subscribe(PeerId peer) { subscribers_.insert(peer); }
    const std::set<PeerId>& subscribers() const { return subscribers_; }

    /// Returns an older connection of the process that has just said hello on `peer`, if any. The process reconnected
    /// before the loss was noticed.
    std::optional<PeerId> superseded_by(PeerId peer) const;

    /// Binds a node or an instance to the connection `peer` and ends its absence. Refuses a name other than the name
    /// allowed for the key, and a name that another connection uses. Also refuses a second name for one connection,
    /// and a key that is not the connection's own.
    Result<void> bind_node(PeerId peer, const NodeInfo& node);
    /// Binds an instance. The instance must have the credentials of the node that was told to start it.
    Result<void> bind_instance(PeerId peer, const RegisterInstance& registration, const NodeId& node);

    /// If `peer` is not permitted to send `message`, returns the process that `message` concerns; otherwise none. An
    /// instance reports about itself; its node reports its end. Reports about a node must come from that node.
    std::optional<std::string> not_its_own(PeerId peer, const Message& message, const ClusterState& state) const;

    /// Marks a node or an instance as away, to be awaited until `away.until`.
    void wait_for(const NodeId& node, Away away) { nodes_away_[node] = std::move(away); }
    void wait_for(const InstanceId& instance, Away away) { instances_away_[instance] = std::move(away); }
    /// Marks a node as away after the orchestrator restarted. `key`: the key of the node's last connection; empty: the
    /// connection of this machine's owner.
    void expect(const NodeId& node, const std::string& key, Away away);
    void give_up(const NodeId& node);
    void give_up(const InstanceId& instance) { instances_away_.erase(instance); }
    /// Returns the absence of a node or an instance; none if it is not away.
    template <typename Id>
    static std::optional<Away> absence(const std::map<Id, Away>& all, const Id& one) {
        const auto found = all.find(one);
        return found == all.end() ? std::nullopt : std::optional(found->second);
    }
    const std::map<NodeId, Away>& nodes_away() const { return nodes_away_; }
    const std::map<InstanceId, Away>& instances_away() const { return instances_away_; }
    std::optional<TimePoint> next_deadline() const;

    std::optional<PeerId> of(const NodeId& node) const;
    std::optional<PeerId> of(const InstanceId& instance) const;

    // Access to the sessions as a map.
    Map::iterator begin() { return sessions_.begin(); }
    Map::iterator end() { return sessions_.end(); }
    Map::const_iterator begin() const { return sessions_.begin(); }
    Map::const_iterator end() const { return sessions_.end(); }
    bool contains(PeerId peer) const { return sessions_.contains(peer); }
    Map::iterator find(PeerId peer) { return sessions_.find(peer); }
    Session& at(PeerId peer) { return sessions_.at(peer); }
    const Session& at(PeerId peer) const { return sessions_.at(peer); }

private:
    Map sessions_;
    // Indexes of the open sessions, since searching all sessions for each report and event would be slow.
    std::map<NodeId, PeerId> by_node_;
    std::map<InstanceId, PeerId> by_instance_;
    std::set<PeerId> subscribers_;
    std::map<NodeId, Credentials> holders_;  ///< credentials of nodes that are present or away
    std::map<NodeId, Away> nodes_away_;
    std::map<InstanceId, Away> instances_away_;
};

/// Number of steps that a task may still complete without a node after the step in which the node went away. Stages
/// that wait for the node may already have its last tensors.
inline constexpr std::int64_t steps_under_way = 2;

/// The conclusion that a node is dead, drawn before its time limit for a return has passed.
struct NodeLoss {
    TimePoint from{};  ///< time from which the node counts as dead, in lived time
    std::string why;
};

/// Decides whether an absent node is certainly lost. Considers its connection, the connections of its instances, and
/// the steps of its tasks together (FailureDetector, Sessions::Away). Returns none if the node may be alive:
/// - a process of the node is still connected, or has disconnected without proof of its death;
/// - too few heartbeats of the node have been received, or only its own connection has closed;
/// - a task that needs the node still makes progress.
///
/// Also returns none if an early decision is useless: a task of the node does not recover, or no task needs the node.
std::optional<NodeLoss> certain_loss(const NodeId& node, const ClusterState& state, const Sessions& sessions);

}  // namespace divisi::control::inline core
