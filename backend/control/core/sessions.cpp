// SPDX-License-Identifier: Apache-2.0
#include "backend/control/core/sessions.h"

#include <algorithm>

#include "backend/control/protocol/all_messages.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline core {
namespace {

Error second_name(const Session& session, const std::string& wanted) {
    const std::string own =
        session.node.value().empty() ? "instance " + session.instance.value() : "node " + session.node.value();
    return make_error(error_text("connection-named-already"), wanted, {own});
}

/// Checks a key that other processes will trust: it must be the key that this connection has just proven.
Result<void> check_key(const Session& session, const std::string& key, const std::string& whose) {
    if (key.empty() || session.credentials.owner || key == session.credentials.key) return {};
    return make_error(error_text("key-is-not-its-own"), whose);
}

/// Decides whether a message concerns its own sender.
struct Speaker {
    const Session& session;
    const ClusterState& state;
    using Verdict = std::optional<std::string>;

    const InstanceView* view_of(const InstanceId& instance) const {
        const auto found = state.instances.find(instance);
        return found == state.instances.end() ? nullptr : &found->second;
    }
    Verdict of_node(const NodeId& node) const {
        if (session.node == node && !node.value().empty()) return std::nullopt;
        return "node " + node.value();
    }
    Verdict of_instance(const InstanceId& instance) const {
        if (session.instance == instance && !instance.value().empty()) return std::nullopt;
        return "instance " + instance.value();
    }
    Verdict of_instance(const InstanceId& instance, const TaskId& task) const {
        if (const auto other = of_instance(instance)) return other;
        const InstanceView* view = view_of(instance);
        if (view && view->task == task) return std::nullopt;
        return "an instance of task " + task.value();
    }
    /// Accepts the instance or its node. The node reports the end of a process, because the process itself cannot.
    Verdict of_instance_or_node(const InstanceId& instance) const {
        const InstanceView* view = view_of(instance);
        if (view && !of_node(view->node)) return std::nullopt;
        if (!view && !session.node.value().empty()) return std::nullopt;  // the task of the instance was forgotten
        return of_instance(instance);
    }

    Verdict operator()(const NodeReport& m) const { return of_node(m.node); }
    Verdict operator()(const InstanceExited& m) const {
        if (!session.node.value().empty()) return of_instance_or_node(m.instance);
        return "the node of instance " + m.instance.value();
    }
    Verdict operator()(const InstancePrepared& m) const { return of_instance(m.instance); }
    Verdict operator()(const InstanceActivated& m) const { return of_instance(m.instance); }
    Verdict operator()(const SnapshotTaken& m) const { return of_instance(m.instance, m.task); }
    Verdict operator()(const PlanPrepared& m) const { return of_instance(m.instance, m.task); }
    Verdict operator()(const StepReport& m) const { return of_instance(m.instance, m.task); }
    Verdict operator()(const EvalReport& m) const { return of_instance(m.instance, m.task); }
    Verdict operator()(const MissedReports& m) const { return of_instance(m.instance, m.task); }
    Verdict operator()(const LoadReport& m) const { return of_instance(m.load.instance); }
    Verdict operator()(const SpanReport& m) const { return of_instance(m.spans.instance, m.spans.task); }
    Verdict operator()(const InstanceFinished& m) const { return of_instance(m.weights.instance, m.weights.task); }
    Verdict operator()(const InstanceFailed& m) const { return of_instance_or_node(m.instance); }
    Verdict operator()(const RegisterService& m) const {
        return of_instance(instance_of(m.service.sid, m.service.incarnation));
    }
    Verdict operator()(const RenewService& m) const { return of_instance(instance_of(m.sid, m.incarnation)); }
    Verdict operator()(const ProbeServed&) const { return a_node(); }
    Verdict operator()(const BlobEndOpened&) const { return a_node(); }
    Verdict operator()(const BlobFetched&) const { return a_node(); }
    Verdict operator()(const StoreList&) const { return a_node(); }
    Verdict operator()(const StorePage&) const { return a_node(); }
    /// Accepts nodes, gateways and routers. The link survey knows which peer measures (link_survey.h).
    Verdict operator()(const ProbeEnded&) const {
        if (session.instance.value().empty()) return std::nullopt;
        return "a process that measures links";
    }
    Verdict operator()(const Note& m) const {
        const bool node = !session.node.value().empty() && m.note.component == "node " + session.node.value();
        const bool instance =
            !session.instance.value().empty() && m.note.component == "instance " + session.instance.value();
        const InstanceView* view = view_of(session.instance);
        const bool own_task = m.note.task.empty() || (view && view->task.value() == m.note.task);
        if ((node || instance) && own_task) return std::nullopt;
        return m.note.component + (m.note.task.empty() ? "" : " of task " + m.note.task);
    }
    template <typename M>
    Verdict operator()(const M&) const {
        return std::nullopt;  // the message concerns no process, or the sender itself
    }

private:
    Verdict a_node() const {
        if (!session.node.value().empty()) return std::nullopt;
        return "a node";
    }
};

/// Returns whether the process has a role in the current plan. The orchestrator does not wait for other processes.
bool is_missed(const InstanceView& instance, const TaskView& task) {
    return instance.stage != standby_stage && task.runs() && !task.ending && instance.generation == task.generation &&
           !instance.retired && instance.state < InstanceState::finished;
}

}  // namespace

void Sessions::open(PeerId peer, Credentials credentials) {
    (void)close(peer);
    Session session;
    session.credentials = std::move(credentials);
    sessions_[peer] = std::move(session);
}

std::optional<Session> Sessions::close(PeerId peer) {
    auto found = sessions_.extract(peer);
    if (found.empty()) return std::nullopt;
    by_node_.erase(found.mapped().node);
    by_instance_.erase(found.mapped().instance);
    subscribers_.erase(peer);
    return std::move(found.mapped());
}

std::optional<PeerId> Sessions::superseded_by(PeerId peer) const {
    const Session& fresh = sessions_.at(peer);
    if (fresh.process.empty()) return std::nullopt;
    for (const auto& [id, session] : sessions_)
        if (id != peer && session.process == fresh.process && same_holder(session.credentials, fresh.credentials))
            return id;
    return std::nullopt;
}

Result<void> Sessions::bind_node(PeerId peer, const NodeInfo& node) {
    Session& session = sessions_.at(peer);
    const std::string& name = node.id.value();
    if (session.node == node.id && !name.empty()) return {};  // this connection is already bound to the node
    if (!session.node.value().empty() || !session.instance.value().empty()) return second_name(session, name);
    if (!session.credentials.owner && session.credentials.name != name)
        return make_error(error_text("node-key-of-another"), name,
                          {session.credentials.name, session.credentials.key, name});
    DIVISI_TRY(check_key(session, node.blob_key, name));
    if (of(node.id)) return make_error(error_text("node-name-taken"), name);
    session.node = node.id;
    if (!name.empty()) by_node_[node.id] = peer;
    holders_[node.id] = session.credentials;
    nodes_away_.erase(node.id);
    return {};
}

Result<void> Sessions::bind_instance(PeerId peer, const RegisterInstance& registration, const NodeId& node) {
    Session& session = sessions_.at(peer);
    const InstanceId& id = registration.instance;
    if (session.instance == id && !id.value().empty()) return {};
    if (!session.node.value().empty() || !session.instance.value().empty()) return second_name(session, id.value());
    if (registration.sid != sid_of(id))
        return make_error(error_text("instance-of-other-sid"), id.value(), {registration.sid.value()});
    const auto holder = holders_.find(node);
    if (holder == holders_.end() || !same_holder(holder->second, session.credentials))
        return make_error(error_text("instance-key-of-another"), id.value(), {session.credentials.name, node.value()});
    DIVISI_TRY(check_key(session, registration.data_key, id.value()));
    if (of(id)) return make_error(error_text("instance-connected-twice"), id.value());
    session.instance = id;
    session.reports_spans = registration.reports_spans;
    if (!id.value().empty()) by_instance_[id] = peer;
    instances_away_.erase(id);
    return {};
}

std::optional<std::string> Sessions::not_its_own(PeerId peer, const Message& message, const ClusterState& state) const {
    return visit(Speaker{sessions_.at(peer), state}, message);
}

void Sessions::expect(const NodeId& node, const std::string& key, Away away) {
    holders_[node] = {key.empty(), std::nullopt, node.value(), key};
    wait_for(node, std::move(away));
}

void Sessions::give_up(const NodeId& node) {
    nodes_away_.erase(node);
    holders_.erase(node);
}

std::optional<TimePoint> Sessions::next_deadline() const {
    std::optional<TimePoint> next;
    const auto consider = [&](const Away& away) {
        if (!next || away.until < *next) next = away.until;
    };
    for (const auto& [node, away] : nodes_away_) consider(away);
    for (const auto& [instance, away] : instances_away_) consider(away);
    return next;
}

std::optional<PeerId> Sessions::of(const NodeId& node) const {
    const auto found = by_node_.find(node);
    return found == by_node_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<PeerId> Sessions::of(const InstanceId& instance) const {
    const auto found = by_instance_.find(instance);
    return found == by_instance_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<NodeLoss> certain_loss(const NodeId& node, const ClusterState& state, const Sessions& sessions) {
    const auto away = sessions.nodes_away().find(node);
    if (away == sessions.nodes_away().end() || !away->second.death) return std::nullopt;
    if (away->second.death->hardly_known) return std::nullopt;
    TimePoint from = away->second.death->from;
    std::size_t closed = 0, new_ones = 0;
    for (const auto& [id, one] : state.instances) {
        if (one.node != node || one.exited) continue;
        if (sessions.of(id)) return std::nullopt;
        const auto found = state.tasks.find(one.task);
        if (found == state.tasks.end() || !is_missed(one, found->second)) continue;
        if (found->second.answer != task::FaultAnswer::recover) return std::nullopt;
        if (!one.joined) continue;  // the instance has not registered yet
        const auto its = sessions.instances_away().find(id);
        if (its == sessions.instances_away().end() || !its->second.death) return std::nullopt;
        // steps continue without the instance
        const bool spared = one.stage == dealt_stage || one.stage == standby_stage;
        if (!spared && found->second.step > its->second.step + steps_under_way) return std::nullopt;
        from = std::max(from, its->second.death->from);
        ++closed;
        new_ones += its->second.death->hardly_known ? 1 : 0;
    }
    if (closed == 0) return std::nullopt;
    std::string those = closed == 1 ? "the connection of its instance"
                                    : "the connections of its " + std::to_string(closed) + " instances";
    if (new_ones > 0) those += closed == 1 ? ", which just joined" : ", " + std::to_string(new_ones) + " just joined";
    return NodeLoss{from,
                    "its connection closed between regular heartbeats, as did " + those + ", and none has returned"};
}

}  // namespace divisi::control::inline core
