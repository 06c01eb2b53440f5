// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <vector>

#include "backend/control/protocol/failure_detector.h"
#include "backend/control/protocol/silence.h"
#include "backend/control/state/state.h"
#include "backend/control/types/note_limiter.h"
#include "backend/control/types/peer.h"

namespace divisi::control::inline core {

/// A connection, and who speaks on it.
struct Session {
    Credentials credentials;
    std::optional<Role> role;  ///< after Hello
    std::string program;
    std::string process;         ///< Hello::process: equal on all connections that one process ever makes
    std::string key;             ///< with which it comes to nodes on tcp, where its uid vouches for it
    NodeId node;                 ///< that it is, once it has registered: bind_node()
    InstanceId instance;         ///< likewise: bind_instance()
    bool reports_spans = false;  ///< RegisterInstance::reports_spans
    NoteLimiter notes;           ///< of what it says
};

/// Who is who on the connections of the control plane, without I/O: which of them is which node or instance, whose
/// word counts for what, and who is away for a moment and may come back. Times are lived (LivedTime).
class Sessions {
public:
    using Map = std::map<PeerId, Session>;

    /// One that broke, and is waited for.
    struct Away {
        PeerId peer;  ///< the connection that it had
        TimePoint until{};
        std::string why;
        std::optional<Death> death = std::nullopt;  ///< FailureDetector::end()
        std::int64_t step = 0;                      ///< that an instance's task had done then
    };

    void open(PeerId peer, Credentials credentials);
    /// Takes the session out; none if there is none.
    std::optional<Session> close(PeerId peer);

    /// From now on it is told of all that happens, until it is closed.
    void subscribe(PeerId peer) { subscribers_.insert(peer); }
    const std::set<PeerId>& subscribers() const { return subscribers_; }

    /// An older connection of the process that has just said hello on `peer`: it came back before its loss was seen.
    std::optional<PeerId> superseded_by(PeerId peer) const;

    /// Makes `peer` the connection of a node or an instance, and ends its absence. Refused: a name that its key was
    /// not allowed with, one that another connection has, a second name for one connection, a key that is not the
    /// connection's own.
    Result<void> bind_node(PeerId peer, const NodeInfo& node);
    /// An instance comes with the credentials of the node that was told to start it.
    Result<void> bind_instance(PeerId peer, const RegisterInstance& registration, const NodeId& node);

    /// Why `message` is not `peer`'s to say; none where it is. Reports count only from whom they are about: an
    /// instance's from itself and, of its end, from its node; a node's from that node.
    std::optional<std::string> not_its_own(PeerId peer, const Message& message, const ClusterState& state) const;

    /// From now on it is waited for until `until`.
    void wait_for(const NodeId& node, Away away) { nodes_away_[node] = std::move(away); }
    void wait_for(const InstanceId& instance, Away away) { instances_away_[instance] = std::move(away); }
    /// Likewise after a restart: the node's last connection came with `key`; without one, it was its owner's.
    void expect(const NodeId& node, const std::string& key, Away away);
    void give_up(const NodeId& node);
    void give_up(const InstanceId& instance) { instances_away_.erase(instance); }
    /// None where it is not away.
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

    // As the map that it is.
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
    // Of the sessions that are open: reports and events come too often to search all of them.
    std::map<NodeId, PeerId> by_node_;
    std::map<InstanceId, PeerId> by_instance_;
    std::set<PeerId> subscribers_;
    std::map<NodeId, Credentials> holders_;  ///< of nodes that are there or away
    std::map<NodeId, Away> nodes_away_;
    std::map<InstanceId, Away> instances_away_;
};

}  // namespace divisi::control::inline core
