// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "app/client/client.h"

namespace divisi::model {

/// How far a node is that is to be drained: "draining, instances left: 2"; empty where it takes instances.
QString drain_text(const control::ClusterState& state, const NodeId& node);
/// Why a node cannot be asked to be drained from here, or with `undo` to take instances again; empty where it can. What
/// only the orchestrator knows, it says when it is asked.
QString why_not_drained(const client::Client& client, const NodeId& node, bool undo);
/// The part of it that the state of the cluster tells, whoever asks.
QString why_not_drained(const control::ClusterState& state, const NodeId& node, bool undo);

}  // namespace divisi::model
