// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "agents/instance/keeping/snapshots.h"
#include "agents/segment/executor.h"
#include "backend/graph/graph.h"

namespace divisi::instance {

/// Returns a segment's state as tensors that are named by value and optimizer slot (store/tensor_file.h).
Snapshots::Tensors named_state(const graph::Graph& graph, std::vector<segment::StateTensor> state);
/// Converts named tensors back to state; leaves out tensors that are not initializers of this graph.
std::vector<segment::StateTensor> state_of(const graph::Graph& graph, Snapshots::Tensors tensors);

/// Writes the tensors to `file`, which becomes a blob of the store in folder `blobs`. After a failure, no file remains.
/// The blob appears completely or not at all, even if the process ends meanwhile.
Result<Snapshots::Written> write_snapshot(const std::filesystem::path& file, const std::filesystem::path& blobs,
                                          const Snapshots::Tensors& tensors);
/// Reads the tensors of all blobs to restore. If a blob is not completely present, its parts that were fetched from
/// other nodes are read instead. Fails with `not_found` if the store lacks a blob, and with `corrupt` if the bytes of a
/// blob have changed; both errors name the blob.
Result<Snapshots::Tensors> read_snapshots(const std::filesystem::path& blobs, const control::Restore& restore);

}  // namespace divisi::instance
