// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "backend/control/core/orchestrator_context.h"

namespace divisi::control::inline queue {

/// Keeps processes of finished batches for reuse. Each waits on its node, with its segment loaded, until the queue has
/// assigned the free nodes. If an instance of the next batch of the group (batch_group.h) got the same place, it
/// continues with the kept process. All other kept processes are ended. Kept processes do not influence which task gets
/// a node.
///
/// Kept processes are not part of the state: a node ends its kept processes when its orchestrator is gone.
class KeptProcesses {
public:
    explicit KeptProcesses(OrchestratorContext& context) : context_(context) {}

    /// Returns whether another batch of this finished batch's group waits for nodes.
    bool are_wanted(const TaskView& task) const;
    /// Tells the node to keep the process of a finished instance. InstanceExited follows as if the process had ended.
    /// Returns false if the node is away.
    bool keep(const InstanceView& instance);
    /// Takes a kept process for an instance of `task`. Returns the instance whose process it was; empty if there is
    /// none.
    InstanceId take(const TaskView& task, std::int32_t stage, const NodeId& node);
    /// Returns the nodes, by stage, on which this task's stages would find kept processes of its group. Returns nothing
    /// unless all stages would.
    std::vector<NodeId> nodes_for(const TaskView& task, std::int32_t stages, std::int32_t data_apart) const;
    /// Ends the kept processes that were not taken. Called after the queue has assigned the free nodes.
    void settle();
    void follow(const Event& event);

private:
    struct Kept {
        TaskId task;  ///< task that is over, or will be once its other processes are gone
        std::string group, submitter;
        InstanceId instance;
        std::int32_t stage = 0;
        NodeId node;

        bool fits(const TaskView& wanted, std::int32_t at) const {
            return stage == at && group == wanted.group && submitter == wanted.submitter;
        }
    };

    OrchestratorContext& context_;
    std::vector<Kept> kept_;
};

}  // namespace divisi::control::inline queue
