// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "agents/instance/snapshots.h"
#include "agents/segment/executor.h"
#include "backend/graph/graph.h"

namespace divisi::instance {

/// A segment's state by the names of its values and the slots of its optimizer (store/state_name.h).
Snapshots::Tensors named_state(const graph::Graph& graph, std::vector<segment::StateTensor> state);
/// The other way; what is no initializer of this graph is left out.
std::vector<segment::StateTensor> state_of(const graph::Graph& graph, Snapshots::Tensors tensors);

/// Writes the tensors to `file`, which becomes a blob of the store in folder `blobs`; nothing is left of it where that
/// fails. A blob appears whole or not at all, whenever the process ends.
Result<Snapshots::Written> write_snapshot(const std::filesystem::path& file, const std::filesystem::path& blobs,
                                          const Snapshots::Tensors& tensors);
/// The tensors of all blobs that are to be restored; of one that is not there whole, those of the parts that were
/// brought. `not_found` where the store lacks one, `corrupt` where bytes are not those that were written; each names
/// the blob.
Result<Snapshots::Tensors> read_snapshots(const std::filesystem::path& blobs, const control::Restore& restore);

}  // namespace divisi::instance
