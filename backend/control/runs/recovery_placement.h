// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/runs/node_fitness.h"

namespace divisi::control::inline runs {

/// Returns the snapshots from which an instance restores: its own snapshot or, if the checkpoint predates the last
/// re-cut, the snapshots of every old stage that held its operators.
std::vector<const SegmentSnapshot*> parts_for(const TaskView& task, const Checkpoint& checkpoint,
                                              const InstanceView& instance);
/// Returns the snapshots from which an instance of the current generation starts.
Restore restore_for(const TaskView& task, const InstanceView& instance);

/// The node and process with which a SID continues in the next generation.
struct Continuation {
    NodeId node;
    InstanceId standby;  ///< standby whose process takes over the SID; empty: the SID's process or a new one
};

/// Decides from which checkpoint a task continues, and on which node each of its instances continues. Changes nothing.
class RecoveryPlacement {
public:
    RecoveryPlacement(const OrchestratorContext& context, const NodeFitness& fitness)
        : context_(context), fitness_(fitness) {}

    /// Returns the newest checkpoint whose snapshots are all on usable nodes. If each stage waits for its own node, the
    /// stages' own nodes must have the snapshots.
    ///
    /// Without such a checkpoint, returns the newest one whose nodes may return and are awaited, else the newest.
    /// Returns null if the task has no checkpoint; the task then starts over.
    const Checkpoint* checkpoint_for(const TaskView& task) const;
    /// Returns the node on which an instance continues. If the task file says to wait, returns the instance's own node,
    /// even if the node is away. Otherwise returns the own node if usable, else another usable node with the snapshot.
    /// If the task starts over, any node with room is usable. `taken`: nodes given to other instances of the task.
    ///
    /// If no node is usable, returns the instance's own node, even if other instances died there too often. The task
    /// may then have to wait for the node. If the own node is unfit or has lost the snapshot, returns a disconnected
    /// node that has the snapshot and may reconnect.
    NodeId node_for(const TaskView& task, const InstanceView& before, const Checkpoint* from,
                    const std::set<NodeId>& taken = {}) const;
    /// Decides where each instance continues. An instance without a process of its own may get the process of a
    /// standby.
    std::map<Sid, Continuation> continuations(const TaskView& task, const std::vector<const InstanceView*>& before,
                                              const Checkpoint* from, const InstanceId& culprit) const;

private:
    const InstanceView* standby_for(const TaskView& task, const InstanceView& before, const Checkpoint* from,
                                    const NodeId& node, const std::set<InstanceId>& taken) const;
    std::optional<NodeId> other_node_for_stage(const TaskView& task, const InstanceView& before,
                                               const std::set<NodeId>& taken) const;

    const OrchestratorContext& context_;
    const NodeFitness& fitness_;
};

}  // namespace divisi::control::inline runs
