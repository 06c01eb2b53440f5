// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/runs/node_fitness.h"

namespace divisi::control::inline runs {

/// Returns the snapshots from which an instance restores: its own, or, if the checkpoint predates the last re-cut,
/// those of every old stage that held its operators.
std::vector<const SegmentSnapshot*> parts_for(const TaskView& task, const Checkpoint& checkpoint,
                                              const InstanceView& instance);
/// Returns the snapshots from which an instance of the current generation starts.
Restore restore_for(const TaskView& task, const InstanceView& instance);

/// The place where a SID continues in the next generation.
struct Continuation {
    NodeId node;
    InstanceId standby;  ///< standby whose process plays it; empty: its own or a new process
};

/// Decides from which checkpoint a task continues, and where each of its instances does. Changes nothing.
class RecoveryPlacement {
public:
    RecoveryPlacement(const OrchestratorContext& context, const NodeFitness& fitness)
        : context_(context), fitness_(fitness) {}

    /// Returns the newest checkpoint whose snapshots are all on usable nodes. If each stage waits for its own node,
    /// these nodes must have them.
    ///
    /// Without such a checkpoint, returns the newest one whose nodes may return and are awaited. Null if the task
    /// starts over.
    const Checkpoint* checkpoint_for(const TaskView& task) const;
    /// Returns the node on which an instance continues. If the task file says to wait, this is its own node, even if
    /// that node is away. Otherwise it is its own node if usable, else another node that has its snapshot. If the task
    /// starts over, any node with room is usable. `taken`: nodes that other instances of the task were given.
    ///
    /// If no such node is usable, it is the instance's own node, even if others died there too often. If a node must be
    /// awaited, it is the instance's own. If that node is present but useless, it is one that has the snapshot and may
    /// return.
    NodeId node_for(const TaskView& task, const InstanceView& before, const Checkpoint* from,
                    const std::set<NodeId>& taken = {}) const;
    /// Decides where each instance continues. An instance without a process of its own may get a standby's.
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
