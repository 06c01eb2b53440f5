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

/// What a node's menu offers: to drain it, or how far that is and to take it back. The cluster's state tells what comes
/// of it, or Client::refused() why not.
void add_drain_actions(QMenu& menu, client::Client& client, const NodeId& node);

}  // namespace divisi::topology
