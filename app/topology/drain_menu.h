// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QMenu>

#include "app/client/client.h"
#include "backend/control/state/drain_state.h"

namespace divisi::topology {

struct DrainMenu {
    Q_DECLARE_TR_FUNCTIONS(divisi::topology::DrainMenu)
};

/// Adds a node's drain actions to its menu: drain it, or show the progress and undo it. The cluster's state shows the
/// result; if the drain is refused, Client::refused() gives the reason.
void add_drain_actions(QMenu& menu, client::Client& client, const NodeId& node);

}  // namespace divisi::topology
