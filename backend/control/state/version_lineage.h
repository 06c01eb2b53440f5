// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/control/state/state.h"

namespace divisi::control::inline state {

/// Returns whether the weights of all stages are stored, so that the model can be exported or trained further.
bool is_trained(const TaskView& task);

/// Returns the version that a user names: by its number, by the name of a kept checkpoint, or by its task's id or name.
/// If several versions have the name, the newest kept version is meant. The beginning of a hash is also accepted. Fails
/// (not_found) if no version matches, and (invalid_input) if several hashes begin this way.
Result<const ModelVersion*> find_version(const ClusterState& state, const std::string& word);
/// Returns the version, its parent, and so on, as far as they are known. The root is last.
std::vector<const ModelVersion*> lineage_of(const ClusterState& state, std::uint64_t number);
/// Checks the name for a checkpoint to keep. The name may be empty. Fails (invalid_input) if the name is not valid, and
/// (conflict) if it already identifies a version.
Result<void> check_version_name(const ClusterState& state, const std::string& name);
/// Returns whether another version, or a task that may still make a version, started from this version.
bool has_children(const ClusterState& state, std::uint64_t number);

/// Forgets dropped versions from which no other version descends. If more than `most_version_records` versions remain,
/// also forgets the oldest dropped versions. Used by apply().
void forget_versions(ClusterState& state);

}  // namespace divisi::control::inline state
