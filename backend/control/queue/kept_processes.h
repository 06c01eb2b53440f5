// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "backend/control/core/desk.h"

namespace divisi::control::inline queue {

/// Processes of batches that are over: each waits on its node, with its segment loaded, until the queue has given out
/// what is free. Then an instance of the next batch of the group (batch_group.h) that got the same place goes on with
/// it, and all others are ended. Which task gets a node the queue decides as without them.
///
/// Nothing of this is in the state: a node ends what it keeps when its orchestrator is gone.
class KeptProcesses {
public:
    explicit KeptProcesses(Desk& desk) : desk_(desk) {}

    /// Whether a batch that has done all its steps has a group, of which another waits for nodes.
    bool are_wanted(const TaskView& task) const;
    /// Has its node keep the process of an instance that has finished; InstanceExited follows as if it had ended. False
    /// where the node is away.
    bool keep(const InstanceView& instance);
    /// The instance whose process one of `task` goes on with, which it is no longer kept for; empty: there is none.
    InstanceId take(const TaskView& task, std::int32_t stage, const NodeId& node);
    /// Where the stages of this task would find processes of its group, by stage; empty unless all of them do.
    std::vector<NodeId> nodes_for(const TaskView& task, std::int32_t stages, std::int32_t data_apart) const;
    /// The queue has given out what is free: whom nobody has taken ends.
    void settle();
    void follow(const Event& event);

private:
    struct Kept {
        TaskId task;  ///< that is over, or will be when its other processes are gone
        std::string group, submitter;
        InstanceId instance;
        std::int32_t stage = 0;
        NodeId node;

        bool fits(const TaskView& wanted, std::int32_t at) const {
            return stage == at && group == wanted.group && submitter == wanted.submitter;
        }
    };

    Desk& desk_;
    std::vector<Kept> kept_;
};

}  // namespace divisi::control::inline queue
