// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/control/state/state.h"

namespace divisi::control::inline state {

/// Whether the weights of all its stages are stored: it can be exported, and trained on from.
bool is_trained(const TaskView& task);

/// The version that a person means: its number, the name that a checkpoint was kept by, the id of the task that trained
/// it or the name of several (then the newest that is kept), or the beginning of its hash. Fails (not_found) where
/// there is none, (invalid_input) where several hashes begin so.
Result<const ModelVersion*> find_version(const ClusterState& state, const std::string& word);
/// It, its parent, the parent of that, as far as they are known: the root is last.
std::vector<const ModelVersion*> lineage_of(const ClusterState& state, std::uint64_t number);
/// Whether a checkpoint can be kept by this name, which may be empty. Fails (invalid_input) where it is no name,
/// (conflict) where it means a version already.
Result<void> check_version_name(const ClusterState& state, const std::string& name);
/// Whether another version, or a task that has not ended, began with it.
bool has_children(const ClusterState& state, std::uint64_t number);

/// For the fold: versions whose weights were let go are forgotten, save those that others descend from. Of these
/// `most_version_records` at most stay, the newest.
void forget_versions(ClusterState& state);

}  // namespace divisi::control::inline state
