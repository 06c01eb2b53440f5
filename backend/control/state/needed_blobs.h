// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "backend/control/state/state.h"

namespace divisi::control::inline state {

/// Those of `hashes`, in their order, that a task may still read or an export may fetch: the files of every task that
/// has not ended, queued and held ones too, or that stands in the exception queue, its checkpoints, and the weights of
/// all that the state keeps, with the weights that an imported model came with; and those `beside` that the state does
/// not know of. Where the nodes read the client's files themselves, a blob is known by its path.
std::vector<std::string> needed_blobs(const ClusterState& state, const std::vector<std::string>& hashes,
                                      std::set<std::string> beside = {});

}  // namespace divisi::control::inline state
