// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/tensor.h"

namespace divisi::store {

struct NamedTensor {
    std::string name;
    graph::HostTensor tensor;
};

/// Writes tensors once to a fresh SQLite file (64 KiB pages; table tensor: name, dtype, dims, bytes). The file is
/// renamed into place, so a file with this name is complete. Durability is left to the caller (BlobStore::adopt).
/// Tensors over 64 MiB are split into several rows. `dims` is "2x3"; if the tensor is not row-major, its strides
/// follow: "2x3/1x2". Returns the size of the file in bytes.
Result<std::int64_t> write_tensors(const std::filesystem::path& file, const std::vector<NamedTensor>& tensors);
Result<std::vector<NamedTensor>> read_tensors(const std::filesystem::path& file);
/// Reads the tensors for whose name `is_wanted` returns true; calls it once per name. Other tensors take no memory.
Result<std::vector<NamedTensor>> read_tensors(const std::filesystem::path& file,
                                              const std::function<bool(const std::string& name)>& is_wanted);

/// A tensor of a snapshot: a value, or a slot of the optimizer for that value.
struct StateName {
    std::string value;
    std::string slot;  ///< name of the slot, such as "momentum", without a '#'; empty: the value itself
    bool operator==(const StateName&) const = default;
};

/// Returns the tensor's name in snapshot files: the value's name, followed by the slot as in "#momentum". A '#' in the
/// value's own name is doubled, so that no two tensors get the same name.
std::string to_text(const StateName& name);
StateName state_name(const std::string& text);

}  // namespace divisi::store
