// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "backend/control/state/state.h"

namespace divisi::model {

/// A version where it stands in the tree of who came of whom.
struct VersionRow {
    const control::ModelVersion* version = nullptr;  ///< of the state that was given
    int depth = 0;                                   ///< 0: of its model's first weights, or of a version that is gone
    std::vector<bool> last;                          ///< from depth 1 on: nobody beside it or its ancestor follows
};
/// Each version under its parent, the children of one and the roots by their numbers.
std::vector<VersionRow> version_tree(const control::ClusterState& state);
/// The lines from the parents, and the number: "│  └─ 7".
QString version_branch(const VersionRow& row);

/// The beginning of a hash, enough to tell versions apart and to name one by.
QString short_hash(const std::string& hash);
/// "3 → 5 → 7": from the first known version to this one.
QString lineage_text(const control::ClusterState& state, std::uint64_t number);

/// A committed checkpoint of a task that is not over, and is no version yet.
struct KeepableCheckpoint {
    TaskId task;
    std::int64_t step = 0;  ///< after which it was taken
    bool operator==(const KeepableCheckpoint&) const = default;
};
/// By task, the newest of each first.
std::vector<KeepableCheckpoint> keepable_checkpoints(const control::ClusterState& state);
/// The version that the checkpoint of a task after this step is; null where it is none that is kept.
const control::ModelVersion* version_of_checkpoint(const control::ClusterState& state, const KeepableCheckpoint& one);

/// The task file of a training that begins with the weights of a version: the text of the version's own task, with
/// [model] from. Fails where the cluster has no text of it, and (conflict) where its weights were let go.
Result<std::string> task_from_version(const control::ClusterState& state, std::uint64_t number);

}  // namespace divisi::model
