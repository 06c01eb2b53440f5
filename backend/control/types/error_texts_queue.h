// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/error_text.h"

namespace divisi::control::inline types {

/// Errors of control/queue.
inline constexpr ErrorText queue_error_texts[] = {
    // queue/deliveries.cpp
    {"node-takes-local-files-only", ErrorCode::unavailable,
     DIVISI_TEXT("errors", "the node accepts files only from its own machine"),
     DIVISI_TEXT("errors",
                 "start its agent with the tcp connection file, place the task on other nodes, or name files on that "
                 "node as node:/path")},
    {"node-takes-no-files", ErrorCode::unavailable, DIVISI_TEXT("errors", "the node accepts no files"),
     DIVISI_TEXT("errors",
                 "start its agent with the tcp connection file, place the task on other nodes, or name files on that "
                 "node as node:/path")},
    {"task-of-older-version", ErrorCode::failed,
     DIVISI_TEXT("errors", "the task was queued by an older version, which did not log which nodes hold its files"),
     DIVISI_TEXT("errors", "submit the task again; the data that has arrived is kept")},
    {"task-waits-for-no-files", ErrorCode::not_found, DIVISI_TEXT("errors", "the task does not wait for files"),
     DIVISI_TEXT("errors", "list all tasks with 'divisictl tasks'")},
    {"files-of-another-client", ErrorCode::denied, DIVISI_TEXT("errors", "another client uploads this task's files"),
     DIVISI_TEXT("errors", "only the connection that submitted the task may report that its files have arrived")},
    {"client-left-before-files", ErrorCode::unavailable,
     DIVISI_TEXT("errors", "the client of the task disconnected before all files had arrived"),
     DIVISI_TEXT("errors", "submit the task again; the data that has arrived is kept")},

    // queue/models.cpp
    {"model-copy-lost", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "the orchestrator's copy of the model is gone or damaged"),
     DIVISI_TEXT("errors", "submit the task again")},
    {"no-imported-model", ErrorCode::not_found, DIVISI_TEXT("errors", "the task has no imported model"),
     DIVISI_TEXT("errors", "rebuild the zoo model from the task file")},

    // queue/reservations.cpp
    {"reservation-too-large", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "a name is too long, or too many nodes are named"),
     DIVISI_TEXT("errors",
                 "use names of at most 256 characters, and at most 256 node names, which may end with a star")},
    {"reservation-without-nodes", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the reservation names no nodes"),
     DIVISI_TEXT("errors", "give --pool, --nodes or both")},
    {"reservation-of-no-node", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the reservation covers no node of the cluster"),
     DIVISI_TEXT("errors", "'divisictl pools' lists the nodes of each pool")},
    {"reservation-for-nobody", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the reservation must be for either a submitter or a task"),
     DIVISI_TEXT("errors", "give either --submitter or --task")},
    {"reservation-length", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the duration of the reservation is zero, or longer than a year"),
     DIVISI_TEXT("errors", "give --for, as in --for 2h")},
    {"reservation-in-the-past", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the reservation would begin in the past"),
     DIVISI_TEXT("errors", "omit --from to begin now, or give a future time")},
    {"reservation-too-far", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the reservation would begin in more than a year"),
     DIVISI_TEXT("errors", "give an earlier --from")},
    {"reservation-task-unknown", ErrorCode::not_found, DIVISI_TEXT("errors", "no task '%1' waits or runs"),
     DIVISI_TEXT("errors", "list all tasks with 'divisictl tasks', or reserve for a submitter")},
    {"reservation-conflict", ErrorCode::conflict, DIVISI_TEXT("errors", "%1 is already reserved by reservation %2"),
     DIVISI_TEXT("errors",
                 "choose another time or other nodes, or cancel that reservation: divisictl reserve cancel %2")},
    {"no-such-reservation", ErrorCode::not_found, DIVISI_TEXT("errors", "there is no such reservation"),
     DIVISI_TEXT("errors", "list all reservations with 'divisictl reserve'")},
    {"too-many-reservations", ErrorCode::exhausted,
     DIVISI_TEXT("errors", "there are already %1 reservations, which is the limit"),
     DIVISI_TEXT("errors", "cancel some reservations: divisictl reserve cancel NUMBER")},

    // queue/resubmission.cpp
    {"edit-changes-model", ErrorCode::conflict,
     DIVISI_TEXT("errors", "the edited task has another imported model than the failed task"),
     DIVISI_TEXT("errors",
                 "submit the task again from the folder with its files: 'divisictl exceptions show NUMBER --text > "
                 "task.toml', then 'divisictl run task.toml'")},
    {"edit-changes-files", ErrorCode::conflict,
     DIVISI_TEXT("errors", "the edited task names other files than those on the nodes"),
     DIVISI_TEXT("errors",
                 "submit the task again from the folder with its files: 'divisictl exceptions show NUMBER --text > "
                 "task.toml', then 'divisictl run task.toml'")},
    {"node-with-brought-files-away", ErrorCode::unavailable,
     DIVISI_TEXT("errors", "the node that has the task's files is %1: %2"),
     DIVISI_TEXT("errors",
                 "bring the node back and try again, or submit the task again from the folder with its files: "
                 "'divisictl exceptions show NUMBER --text > task.toml', then 'divisictl run task.toml'")},
    {"resubmitted-model-lost", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "the orchestrator's copy of the model is gone or damaged"),
     DIVISI_TEXT("errors",
                 "submit the task again from the folder with its files: 'divisictl exceptions show NUMBER --text > "
                 "task.toml', then 'divisictl run task.toml'")},
    {"files-never-arrived", ErrorCode::unavailable, DIVISI_TEXT("errors", "its files never arrived: %1"),
     DIVISI_TEXT("errors",
                 "submit the task again from the folder with its files: 'divisictl exceptions show NUMBER --text > "
                 "task.toml', then 'divisictl run task.toml'")},
    {"edit-changes-plan", ErrorCode::conflict,
     DIVISI_TEXT("errors", "the plan differs from the plan for which the files were sent to the nodes"),
     DIVISI_TEXT("errors",
                 "keep stages, cuts and data instances as they were, or submit the task again from the folder with its "
                 "files: 'divisictl exceptions show NUMBER --text > task.toml', then 'divisictl run task.toml'")},

    // queue/task_queue.cpp
    {"task-not-held", ErrorCode::conflict, DIVISI_TEXT("errors", "the task is not held"),
     DIVISI_TEXT("errors", "list all tasks with 'divisictl tasks'")},
    {"exception-closed", ErrorCode::conflict, DIVISI_TEXT("errors", "the exception was closed meanwhile"),
     DIVISI_TEXT("errors", "list the open exceptions with 'divisictl exceptions'")},
    {"queue-without-priorities", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the cluster's queue is fcfs, which has no priorities"),
     DIVISI_TEXT("errors", "remove the priority from the task, or set discipline = \"priority\" in the cluster file")},
    {"node-barred-by-task", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the task places a part on %1, but its pool, nodes or avoid exclude that node"),
     DIVISI_TEXT("errors", "place the part on another node, or allow this node")},
    {"parent-version-unknown", ErrorCode::not_found, DIVISI_TEXT("errors", "version %1 of a model is not known"),
     DIVISI_TEXT("errors", "name a version that 'divisictl models' lists")},
    {"node-with-files-away", ErrorCode::unavailable,
     DIVISI_TEXT("errors", "the node that holds the task's files is away"),
     DIVISI_TEXT("errors", "bring the node back, or stop the task and submit it again")},
};

}  // namespace divisi::control::inline types
