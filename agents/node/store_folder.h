// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

#include "backend/base/ids.h"

namespace divisi::node {

/// Limit of state stores that a node keeps; the most recently written ones stay. Stores outlive their instances, so
/// that a state can be inspected after its task, and found by the next incarnation.
inline constexpr std::size_t most_stores = 1'000;

/// Returns the file of a SID's store.
std::filesystem::path store_file(const std::filesystem::path& folder, const Sid& sid);
/// Returns whether this is a store's file, and not one of SQLite's files next to it.
bool is_store(const std::filesystem::path& file);
/// Returns the same file; creates its folder and removes the oldest stores if there are too many.
std::filesystem::path make_store(const std::filesystem::path& folder, const Sid& sid);

}  // namespace divisi::node
