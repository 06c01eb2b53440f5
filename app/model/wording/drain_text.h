// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "app/client/client.h"

namespace divisi::model {

/// Returns the progress of draining a node, such as "draining, instances left: 2"; empty if the node accepts instances.
QString drain_text(const control::ClusterState& state, const NodeId& node);
/// Returns why a node cannot be drained from this console or, with `undo`, why draining cannot be undone; empty if it
/// is possible. The orchestrator's answer may give further reasons.
QString why_not_drained(const client::Client& client, const NodeId& node, bool undo);
/// Returns the reason that follows from the state of the cluster alone, independent of the user's rights.
QString why_not_drained(const control::ClusterState& state, const NodeId& node, bool undo);

}  // namespace divisi::model
