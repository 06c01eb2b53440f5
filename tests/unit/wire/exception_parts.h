// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/protocol/all_messages.h"

namespace divisi::control::test {

// Checkpoints, exceptions, re-cuts and model versions with every field set, for the test of the codec.

inline const TaskId task_id{"gpt-text-1"};
inline const InstanceId instance{"gpt-text-1/stage-0/0#3"};
inline const Error error{ErrorCode::exhausted,   "disk full", "/var/lib",
                         "free some \xff space", "disk-full", {"/var/lib", "a \xff byte"}};

inline Checkpoint checkpoint() {
    return {2, 40, TimePoint(Duration(5)), {{Sid("t/stage-0/0"), 1, "hash", 1 << 20, {NodeId("m/a"), NodeId("m/b")}}}};
}
inline ExceptionEntry exception() {
    return {50,
            task_id,
            TimePoint(Duration(7)),
            error,
            instance,
            NodeId("mic-1/node-2"),
            "forward 3 of step 12",
            11,
            4,
            3,
            {{3, 10, TimePoint(Duration(6)), instance, "killed by signal 9"}}};
}

inline std::vector<Message> checkpoint_messages() {
    return {TakeSnapshot{task_id, 2, 40}, SnapshotTaken{task_id, instance, 2, 40, "hash", 1 << 20, 1.5, 20.5, error},
            DropBlobs{{"hash"}}, OrderCheckpoint{task_id}, CheckpointOrdered{40}};
}

inline TaskRecut recut() {
    return {task_id,
            4,
            40,
            "0123",
            "4567",
            "alice",
            "[split]\nstages = 2\n",
            {{NodeId("m/a"), {0}}, {NodeId("m/b"), {1, 0}}}};
}

inline std::vector<Message> recut_messages() {
    return {Recut{task_id, "0123", {"/a", "/b"}, 3, true, {{{"/a"}, "m/a"}, {{"*"}, ""}}},
            RecutDone{"4567", {"/a", "/b"}, 4, 40, 2, 1 << 20, 412.5}, HoldSteps{task_id, 3, 40},
            PreparePlan{task_id, instance, "[split]\nstages = 3\n", 2, 17},
            PlanPrepared{task_id, instance, "4567", error, 17}};
}

inline RecutAdvised advised() {
    return {{task_id, "0123", {"/a", "/b"}, 50.5, 1.25, 10.5, 3000.5, true, 300, 9000, true, "it pays"}, true, "later"};
}

inline std::vector<Message> drain_messages() { return {DrainNode{NodeId("mic-1/node-2"), true}}; }
inline std::vector<Message> advice_messages() { return {AskRecutAdvice{task_id}, advised()}; }

inline ModelVersion version() {
    ModelVersion one{4,
                     task_id,
                     "0123456789abcdef",
                     3,
                     "zoo:gpt",
                     "text corpus.txt",
                     "4567",
                     2,
                     40,
                     0.25f,
                     TimePoint(Duration(8)),
                     1 << 20,
                     true,
                     true,
                     "best"};
    one.parts = checkpoint().parts;
    return one;
}
inline std::vector<Message> version_messages() {
    return {DropVersion{4}, KeepCheckpoint{task_id, 40, "best"}, VersionMade{version()}};
}

inline std::vector<Message> exception_messages() {
    return {RetryException{50, "[train]\nbatch = 4\n"}, DropException{50}};
}

inline std::vector<Message> backup_messages() {
    return {BackUp{"/var/backups/monday"}, BackedUp{"/var/backups/monday", 512, 7, 1 << 20, 1.5}};
}

inline std::vector<Message> store_messages() {
    const StoreView store{"t.stage-0.0.sqlite", Sid("t/stage-0/0"), 3, 2, 40, 1 << 20, TimePoint(Duration(5)), error};
    const StoreRow row{{{40, {}, {}}, {{}, 2.25, {}}, {{}, {}, "prepared"}, {}}};
    return {ListStores{NodeId("m/a"), "t.stage-0.0.sqlite", 7}, StoreList{7, {store}, true, error},
            ReadStore{NodeId("m/a"), Sid("t/stage-0/0"), "step", 41, 10, 7},
            StorePage{7, 3, {"step", "loss", "what", "nothing"}, {row}, 2, 31, error}};
}

}  // namespace divisi::control::test
