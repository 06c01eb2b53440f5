// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "agents/instance/snapshots.h"
#include "agents/segment/executor.h"
#include "backend/graph/graph.h"

namespace divisi::instance {

/// Names a segment's state by its values and optimizer slots (store/state_name.h).
Snapshots::Tensors named_state(const graph::Graph& graph, std::vector<segment::StateTensor> state);
/// Converts named tensors back to state; leaves out tensors that are no initializers of this graph.
std::vector<segment::StateTensor> state_of(const graph::Graph& graph, Snapshots::Tensors tensors);

/// Writes the tensors to `file`, which becomes a blob of the store in folder `blobs`. After a failure nothing is left.
/// The blob appears completely or not at all, whenever the process ends.
Result<Snapshots::Written> write_snapshot(const std::filesystem::path& file, const std::filesystem::path& blobs,
                                          const Snapshots::Tensors& tensors);
/// Reads the tensors of all blobs to restore. If a blob is not completely present, the parts that were brought are read
/// instead. Fails with `not_found` if the store lacks one, with `corrupt` if its bytes have changed; both name the
/// blob.
Result<Snapshots::Tensors> read_snapshots(const std::filesystem::path& blobs, const control::Restore& restore);

}  // namespace divisi::instance
