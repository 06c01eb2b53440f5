// SPDX-License-Identifier: GPL-3.0-or-later
// Adds the menu actions that drain a node of the picture or undo the drain.
#include "app/model/wording/drain_text.h"
#include "app/topology/drain_menu.h"
#include "app/topology/topology_page.h"

namespace divisi::topology {

void add_drain_actions(QMenu& menu, client::Client& client, const NodeId& node) {
    const bool draining = control::is_draining(client.data().state, node);
    const QString progress = model::drain_text(client.data().state, node);
    if (!progress.isEmpty()) menu.addAction(progress)->setEnabled(false);
    const QString text = draining ? DrainMenu::tr("Take instances again") : DrainMenu::tr("Drain node");
    // If draining is not possible, disable the action and show the reason.
    const QString why = model::why_not_drained(client, node, draining);
    QAction* action = menu.addAction(why.isEmpty() ? text : DrainMenu::tr("%1 (%2)").arg(text, why));
    action->setObjectName(QStringLiteral("drainNode"));
    action->setEnabled(why.isEmpty());
    QObject::connect(action, &QAction::triggered, &client, [&client, node, draining] {
        client.order(control::DrainNode{node, draining});
    });
}

void TopologyPage::add_drain(QMenu& menu, const Element& element) {
    if (element.kind != Element::Kind::node) return;
    add_drain_actions(menu, *client_, NodeId(element.name));
    menu.addSeparator();
}

}  // namespace divisi::topology
