// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/drain_text.h"

#include <QCoreApplication>

#include "backend/control/state/drain_state.h"
#include "backend/identity/role.h"

namespace divisi::model {

namespace {

struct Drains {
    Q_DECLARE_TR_FUNCTIONS(divisi::model::Drains)
};

}  // namespace

QString drain_text(const control::ClusterState& state, const NodeId& node) {
    switch (control::drain_state(state, node)) {
        case control::DrainState::none: break;
        case control::DrainState::draining:
            return Drains::tr("draining, instances left: %1").arg(control::running_on(state, node).size());
        case control::DrainState::drained: return Drains::tr("drained: nothing runs there");
    }
    return {};
}

QString why_not_drained(const client::Client& client, const NodeId& node, bool undo) {
    if (client.status().connection != client::Connection::connected) return Drains::tr("not connected to a cluster");
    if (client.status().replayed) return client::why_not_replayed(client.status());
    if (!identity::allowed(client.status().role, identity::Right::submit))
        return Drains::tr("your role is not allowed to drain nodes");
    return why_not_drained(client.data().state, node, undo);
}

QString why_not_drained(const control::ClusterState& state, const NodeId& node, bool undo) {
    const auto found = state.nodes.find(node);
    if (found == state.nodes.end()) return Drains::tr("the node has left the cluster");
    if (undo && !found->second.draining) return Drains::tr("the node already accepts instances");
    if (undo) return {};
    if (found->second.draining) return Drains::tr("the node is already drained");
    // Draining retires a lost node, unless a task waits for its return.
    if (found->second.state == control::NodeState::lost)
        return control::running_on(state, node).empty() ? QString()
                                                        : Drains::tr("a task waits for the node: stop the task first");
    if (found->second.state != control::NodeState::ready)
        return Drains::tr("the node is away, and gets no instances anyway");
    return {};
}

}  // namespace divisi::model
