// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "app/client/client.h"

namespace divisi::model {

/// Returns the progress of draining a node, such as "draining, instances left: 2"; empty if it accepts instances.
QString drain_text(const control::ClusterState& state, const NodeId& node);
/// Returns why a node cannot be drained from here or, with `undo`, cannot be returned to use; empty if it can. Reasons
/// that only the orchestrator knows come with its answer.
QString why_not_drained(const client::Client& client, const NodeId& node, bool undo);
/// Returns the reasons that follow from the state of the cluster alone, regardless of the user.
QString why_not_drained(const control::ClusterState& state, const NodeId& node, bool undo);

}  // namespace divisi::model
