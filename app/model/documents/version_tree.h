// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "backend/control/state/state.h"

namespace divisi::model {

/// A version and its place in the tree of descent.
struct VersionRow {
    const control::ModelVersion* version = nullptr;  ///< points into the given state
    int depth = 0;           ///< 0: started from its model's initial weights, or from a deleted version
    std::vector<bool> last;  ///< from depth 1 on: the version or its ancestor is the last child
};
/// Returns each version below its parent. Roots and the children of a version are ordered by number.
std::vector<VersionRow> version_tree(const control::ClusterState& state);
/// Returns the number with the lines from its parents: "│  └─ 7".
QString version_branch(const VersionRow& row);

/// Returns the beginning of a hash, long enough to identify a version.
QString short_hash(const std::string& hash);
/// Returns the lineage, such as "3 → 5 → 7": from the first known version to this one.
QString lineage_text(const control::ClusterState& state, std::uint64_t number);

/// A committed checkpoint of an unfinished task that is not a version yet.
struct KeepableCheckpoint {
    TaskId task;
    std::int64_t step = 0;  ///< step after which it was taken
    bool operator==(const KeepableCheckpoint&) const = default;
};
/// Returns the checkpoints by task, the newest of each first.
std::vector<KeepableCheckpoint> keepable_checkpoints(const control::ClusterState& state);
/// Returns the version made from the checkpoint after this step; null if there is none.
const control::ModelVersion* version_of_checkpoint(const control::ClusterState& state, const KeepableCheckpoint& one);

/// Returns the task file of a training that starts with the weights of a version: the text of the version's own task,
/// with [model] from. Fails if the cluster does not have that task's text, and with `conflict` if the weights were
/// deleted.
Result<std::string> task_from_version(const control::ClusterState& state, std::uint64_t number);

}  // namespace divisi::model
