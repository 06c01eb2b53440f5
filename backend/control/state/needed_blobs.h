// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "backend/control/state/state.h"

namespace divisi::control::inline state {

/// Returns the hashes that a task may still read or an export may fetch, in the order of `hashes`:
/// - the files of every task that has not ended, including queued and held ones, or that is in the exception queue;
/// - the checkpoints of tasks, and all weights in the state, with the original weights of an imported model;
/// - the hashes in `beside`, which the state does not contain.
///
/// Nodes read a file without a hash at the client's path. If this file is in a blob store, its name is its hash.
std::vector<std::string> needed_blobs(const ClusterState& state, const std::vector<std::string>& hashes,
                                      std::set<std::string> beside = {});

}  // namespace divisi::control::inline state
