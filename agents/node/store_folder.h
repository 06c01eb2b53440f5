// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

#include "backend/base/ids.h"

namespace divisi::node {

/// Maximum number of state stores that a node keeps; the most recently written stores are kept. Stores outlive their
/// instances: a user can inspect a state after its task, and the SID's next incarnation uses the same store.
inline constexpr std::size_t most_stores = 1'000;

/// Returns the file of a SID's store.
std::filesystem::path store_file(const std::filesystem::path& folder, const Sid& sid);
/// Returns whether this is a store's file, and not one of SQLite's files next to it.
bool is_store(const std::filesystem::path& file);
/// Returns the file of a SID's store, as store_file() does. Also creates its folder, and removes the oldest stores if
/// there are too many.
std::filesystem::path make_store(const std::filesystem::path& folder, const Sid& sid);

}  // namespace divisi::node
