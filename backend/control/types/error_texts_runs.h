// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/error_text.h"

namespace divisi::control::inline types {

/// Errors of control/runs.
inline constexpr ErrorText runs_error_texts[] = {
    // runs/data_instances.cpp
    {"scaling-untrained-task", ErrorCode::conflict, DIVISI_TEXT("errors", "the task does not train now"),
     DIVISI_TEXT("errors", "change the number of data instances while the task trains: see 'divisictl tasks'")},
    {"data-instances-out-of-range", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "%1 data instances are out of the range, which is from 1 to %2"),
     DIVISI_TEXT("errors", "ask for another number")},
    {"data-read-by-stage", ErrorCode::conflict,
     DIVISI_TEXT("errors", "the data of the task are read by the instance of a stage, not by data instances"),
     DIVISI_TEXT("errors", "submit the task with data.instances = 1 or more")},
    {"no-node-with-data", ErrorCode::unavailable,
     DIVISI_TEXT("errors", "every node that holds the task's data is away"),
     DIVISI_TEXT("errors", "bring back a node on which the task has or had a data instance")},

    // runs/data_replacements.cpp
    {"data-instance-not-replaced", ErrorCode::unavailable,
     DIVISI_TEXT("errors", "no node could restart data instance %1 within %2; it was lost because: %3"),
     DIVISI_TEXT("errors", "bring back a node that has the task's data, then submit the task again")},
    {"data-instance-late", ErrorCode::deadline, DIVISI_TEXT("errors", "the data instance was not ready in time"),
     DIVISI_TEXT("errors", "see the log of the instance's node")},
    {"data-instance-has-no-other-node", ErrorCode::unavailable,
     DIVISI_TEXT("errors",
                 "a data instance of task %1 runs there, and no other node in a MIC with a gateway has its data and "
                 "room for it"),
     DIVISI_TEXT("errors", "free or start a node that can read the data, or let the task end first")},

    // runs/node_fitness.cpp
    {"recut-node-worn-out", ErrorCode::unavailable,
     DIVISI_TEXT("errors",
                 "stage %1 of the new plan cannot run on a node where it failed too often (faults there: %2)"),
     DIVISI_TEXT("errors", "name another node for the stage, or repair this node and start its agent again")},

    // runs/standbys.cpp
    {"standby-late", ErrorCode::deadline, DIVISI_TEXT("errors", "the standby was not ready in time"),
     DIVISI_TEXT("errors", "see the log of the standby's node")},
    {"standby-compiled-another-plan", ErrorCode::conflict, DIVISI_TEXT("errors", "the standby compiled another plan"),
     DIVISI_TEXT("errors", "run the same version on every node")},

    // runs/task_absences.cpp
    {"task-not-adopted", ErrorCode::failed,
     DIVISI_TEXT("errors", "the orchestrator was restarted by another version, which cannot adopt the task"),
     DIVISI_TEXT("errors", "submit the task again")},
    {"task-never-started", ErrorCode::failed,
     DIVISI_TEXT("errors", "the cluster ended before all instances of the task had started"),
     DIVISI_TEXT("errors", "submit the task again")},
    {"instance-did-not-return", ErrorCode::unavailable,
     DIVISI_TEXT("errors", "the instance is away (%1, and it was not back within %2 s)"),
     DIVISI_TEXT("errors", "see the log of the instance's node, then submit the task again")},
    {"process-ended-unseen", ErrorCode::failed,
     DIVISI_TEXT("errors", "the instance's process ended while its node was away"),
     DIVISI_TEXT("errors", "see the log of the instance's node, then submit the task again")},
    {"instance-node-left", ErrorCode::unavailable, DIVISI_TEXT("errors", "node %1 left"),
     DIVISI_TEXT("errors", "bring the node back or place the task on other nodes, then submit it again")},
    {"instance-node-lost", ErrorCode::unavailable, DIVISI_TEXT("errors", "node %1 was lost"),
     DIVISI_TEXT("errors", "bring the node back or place the task on other nodes, then submit it again")},

    // runs/task_end.cpp
    {"task-already-ended", ErrorCode::conflict, DIVISI_TEXT("errors", "the task has already ended"),
     DIVISI_TEXT("errors", "'divisictl tasks' shows how it ended")},
    {"process-killed", ErrorCode::failed, DIVISI_TEXT("errors", "the instance's process was %1"),
     DIVISI_TEXT("errors", "submit the task again; if this repeats, see 'divisictl logs'")},
    {"process-exited", ErrorCode::failed, DIVISI_TEXT("errors", "the instance's process %1"),
     DIVISI_TEXT("errors", "submit the task again; if this repeats, see 'divisictl logs'")},
    {"task-stopped-with-cluster", ErrorCode::unavailable, DIVISI_TEXT("errors", "the cluster was shut down"),
     DIVISI_TEXT("errors", "submit the task again")},
    {"task-out-of-time", ErrorCode::deadline, DIVISI_TEXT("errors", "it has used up its time limit of %1 s"),
     DIVISI_TEXT("errors", "allow the task more time, or fewer steps")},
    {"instances-did-not-register", ErrorCode::deadline, DIVISI_TEXT("errors", "instances did not register in time"),
     DIVISI_TEXT("errors", "see the messages of the instances with 'divisictl logs'")},
    {"instances-not-prepared", ErrorCode::deadline, DIVISI_TEXT("errors", "instances were not prepared in time"),
     DIVISI_TEXT("errors", "see the messages of the instances with 'divisictl logs'")},

    // runs/task_lifecycle.cpp
    {"instance-of-no-task", ErrorCode::not_found, DIVISI_TEXT("errors", "no running task has this instance"),
     DIVISI_TEXT("errors", "end this instance; its task is over")},
    {"instance-registered-twice", ErrorCode::conflict, DIVISI_TEXT("errors", "this instance is registered already"),
     DIVISI_TEXT("errors", "end this process: another process is registered as this incarnation of the SID")},
    {"instance-of-old-plan", ErrorCode::conflict,
     DIVISI_TEXT("errors", "the instance follows a plan that is not in force"),
     DIVISI_TEXT("errors", "end this instance; another instance has replaced it")},
    {"instance-compiled-another-plan", ErrorCode::conflict, DIVISI_TEXT("errors", "the instance compiled another plan"),
     DIVISI_TEXT("errors", "run the same version on every node")},

    // runs/task_recovery.cpp
    {"recoveries-without-progress", ErrorCode::failed,
     DIVISI_TEXT("errors", "it recovered %1 times in a row without passing step %2; the last error: %3"),
     DIVISI_TEXT("errors", "see 'divisictl logs --task %4', repair the cause, then retry the task")},
    {"too-many-recoveries", ErrorCode::failed,
     DIVISI_TEXT("errors", "it recovered %1 times within %2 minutes from faults of %3; the last error: %4"),
     DIVISI_TEXT("errors", "see 'divisictl logs --task %5', repair the cause, then retry the task")},
    {"task-may-not-leave-node", ErrorCode::failed,
     DIVISI_TEXT("errors",
                 "it recovered %1 times within %2 minutes from faults of %3, and its task file does not let it leave a "
                 "node; the last error: %4"),
     DIVISI_TEXT("errors",
                 "see the log of node %5 and repair it, or let the task recover elsewhere ([faults] answer = "
                 "\"recover\"), then retry the task")},
    {"task-has-no-other-node", ErrorCode::failed,
     DIVISI_TEXT("errors",
                 "it recovered %1 times within %2 minutes from faults of %3, and only node %5 has the state to "
                 "continue from; the last error: %4"),
     DIVISI_TEXT("errors", "see the log of node %5 and repair it, or give the task another node, then retry the task")},
    {"recovery-need-not-wait", ErrorCode::unavailable,
     DIVISI_TEXT("errors", "node %1 is back, so the task need not wait for node %2")},
    {"awaited-node-did-not-return", ErrorCode::unavailable,
     DIVISI_TEXT("errors", "the only node that can continue the task did not come back within %1 minutes"),
     DIVISI_TEXT("errors", "bring the node back, then retry the task")},
    {"recovery-asks-again", ErrorCode::unavailable,
     DIVISI_TEXT("errors", "nodes that could not start an instance are asked again")},

    // runs/task_reports.cpp
    {"instance-stuck", ErrorCode::deadline,
     DIVISI_TEXT("errors", "the instance makes no progress: it has been in %1 for %2 s"),
     DIVISI_TEXT("errors", "see the log of the instance's node, then submit the task again")},
};

}  // namespace divisi::control::inline types
