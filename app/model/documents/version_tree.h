// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "backend/control/state/state.h"

namespace divisi::model {

/// A version and its place in the tree of descent.
struct VersionRow {
    const control::ModelVersion* version = nullptr;  ///< the version; points into the cluster state passed to
                                                     ///< version_tree()
    int depth = 0;           ///< 0: started from its model's initial weights, or from a deleted version
    std::vector<bool> last;  ///< for each depth from 1 on: whether the version, or its ancestor at that depth, is the
                             ///< last child of its parent
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
    std::int64_t step = 0;  ///< step after which the checkpoint was taken
    bool operator==(const KeepableCheckpoint&) const = default;
};
/// Returns the checkpoints, ordered by task. The newest checkpoint of a task comes first.
std::vector<KeepableCheckpoint> keepable_checkpoints(const control::ClusterState& state);
/// Returns the version that was made from the checkpoint after this step; null if there is no such version.
const control::ModelVersion* version_of_checkpoint(const control::ClusterState& state, const KeepableCheckpoint& one);

/// Returns the task file of a training that starts with the weights of a version: the text of the version's own task,
/// with `from` set in [model]. Fails if the cluster lacks that task's text, and with `conflict` if the weights were
/// deleted.
Result<std::string> task_from_version(const control::ClusterState& state, std::uint64_t number);

}  // namespace divisi::model
