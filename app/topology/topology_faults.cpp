// SPDX-License-Identifier: GPL-3.0-or-later
// Injects faults into processes for demonstrations, and gives the reason if a fault is not possible.
#include <QInputDialog>

#include "app/topology/topology_page.h"
#include "backend/control/types/fault_types.h"
#include "backend/identity/role.h"

namespace divisi::topology {

namespace {

/// Duration of a pause in seconds. It is longer than a task waits for an instance without progress, so that the
/// audience sees the task continue without the paused instance.
constexpr int usual_pause_s = 10;

}  // namespace

QString TopologyPage::why_no_faults() const {
    if (!connected_) return tr("not connected to a cluster");
    if (client_->status().replayed) return client::why_not_replayed(client_->status());
    if (!watch_.mesh().faults_allowed)
        return tr(
            "this cluster does not allow injected faults; an embedded cluster "
            "does");
    if (!identity::allowed(client_->status().role, identity::Right::submit))
        return tr("your role is not allowed to inject faults");
    return {};
}

QString TopologyPage::why_not_struck(Element::Kind kind) const {
    const Element& element = map_->selected();
    if (element.kind != kind)
        return kind == Element::Kind::node ? tr("Select a node first: click it, or go there with the arrow keys")
                                           : tr("Select an instance first: click it, or go there with the arrow keys");
    if (const QString why = why_no_faults(); !why.isEmpty()) return why;
    const control::ClusterState& state = client_->data().state;
    NodeId node(element.name);
    if (kind == Element::Kind::instance) {
        const auto instance = state.instances.find(InstanceId(element.name));
        if (instance == state.instances.end() || instance->second.exited || !control::is_newest(state, instance->first))
            return tr("its process has ended");
        node = instance->second.node;
    }
    const auto found = state.nodes.find(node);
    if (found == state.nodes.end() || found->second.state != control::NodeState::ready)
        return tr("%1 is away and cannot be reached").arg(QString::fromStdString(node.value()));
    return {};
}

/// Returns the SID of the selected instance. Call it only if why_not_struck() is empty.
std::string TopologyPage::selected_sid() const {
    return client_->data().state.instances.at(InstanceId(map_->selected().name)).sid.value();
}

void TopologyPage::kill_instance() {
    if (const QString why = why_not_struck(Element::Kind::instance); !why.isEmpty()) return Q_EMIT hint(why);
    const std::string sid = selected_sid();
    client_->order(control::KillInstance{Sid(sid)});
    Q_EMIT hint(tr("Asked to kill %1; its task resumes from its last checkpoint").arg(QString::fromStdString(sid)));
}

void TopologyPage::kill_node() {
    if (const QString why = why_not_struck(Element::Kind::node); !why.isEmpty()) return Q_EMIT hint(why);
    const std::string node = map_->selected().name;
    client_->order(control::KillNode{NodeId(node)});
    Q_EMIT hint(tr("Asked to kill %1 and its instances; an embedded cluster starts it again")
                    .arg(QString::fromStdString(node)));
}

void TopologyPage::pause_instance() {
    if (const QString why = why_not_struck(Element::Kind::instance); !why.isEmpty()) return Q_EMIT hint(why);
    const std::string sid = selected_sid();
    auto* dialog = new QInputDialog(this);
    dialog->setObjectName(QStringLiteral("pauseDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Pause %1").arg(QString::fromStdString(sid)));
    dialog->setLabelText(tr("Seconds for which to pause the instance's process, as on an overloaded machine"));
    dialog->setInputMode(QInputDialog::IntInput);
    dialog->setIntRange(1, static_cast<int>(control::most_pause_s));
    dialog->setIntValue(usual_pause_s);
    dialog->setOkButtonText(tr("Pause"));
    dialog->setCancelButtonText(tr("Cancel"));
    connect(dialog, &QInputDialog::intValueSelected, this, [this, sid](int seconds) {
        client_->order(control::PauseInstance{Sid(sid), static_cast<double>(seconds)});
        Q_EMIT hint(tr("Asked to pause %1 for %2 s").arg(QString::fromStdString(sid)).arg(seconds));
    });
    dialog->open();
}

/// Adds the fault actions. If they are not possible, they are disabled with the reason.
void TopologyPage::add_process_faults(QMenu& menu, const Element& element) {
    const auto add = [&](const QString& text, void (TopologyPage::*what)()) {
        const QString why = why_not_struck(element.kind);
        QAction* action = menu.addAction(why.isEmpty() ? text : tr("%1 (%2)").arg(text, why));
        action->setEnabled(why.isEmpty());
        connect(action, &QAction::triggered, this, what);
    };
    if (element.kind == Element::Kind::instance) {
        add(tr("Kill instance"), &TopologyPage::kill_instance);
        add(tr("Pause instance\u2026"), &TopologyPage::pause_instance);
    } else if (element.kind == Element::Kind::node) {
        add(tr("Kill node"), &TopologyPage::kill_node);
    } else {
        return;
    }
    menu.addSeparator();
}

}  // namespace divisi::topology
