// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "backend/control/core/orchestrator_context.h"

namespace divisi::control::inline queue {

/// Keeps processes of finished batches for reuse. Each process waits on its node, with its segment loaded, until the
/// queue has assigned the free nodes. An instance of the group's next batch (batch_group.h) that is placed on this node
/// continues with the process. All other kept processes are ended. Kept processes do not affect which task gets a node.
///
/// Kept processes are not part of the state: a node ends its kept processes when its orchestrator is gone.
class KeptProcesses {
public:
    explicit KeptProcesses(OrchestratorContext& context) : context_(context) {}

    /// Returns whether another batch of this finished batch's group waits for nodes.
    bool are_wanted(const TaskView& task) const;
    /// Tells the node to keep the process of a finished instance. InstanceExited follows, as if the process had ended.
    /// Returns false if the node is away.
    bool keep(const InstanceView& instance);
    /// Assigns a kept process to an instance of `task`. Returns the instance that used the process before; empty if
    /// there is no such process.
    InstanceId take(const TaskView& task, std::int32_t stage, const NodeId& node);
    /// Returns, for each stage, a node on which a kept process of this task's group runs. Returns an empty list unless
    /// every stage has such a node.
    std::vector<NodeId> nodes_for(const TaskView& task, std::int32_t stages, std::int32_t data_apart) const;
    /// Ends the kept processes that were not assigned. Called after the queue has assigned the free nodes.
    void settle();
    void follow(const Event& event);

private:
    struct Kept {
        TaskId task;  ///< task that has ended, or will end when its other processes are gone
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
