// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

#include "backend/base/ids.h"

namespace divisi::node {

/// State stores that a node keeps: those of the SIDs that wrote last. They outlive their instances, so that a state can
/// be looked at after its task, and found by the next incarnation.
inline constexpr std::size_t most_stores = 1'000;

/// The file of a SID's store.
std::filesystem::path store_file(const std::filesystem::path& folder, const Sid& sid);
/// Whether that is the file of a store, and not what lies beside one.
bool is_store(const std::filesystem::path& file);
/// The same file; makes its folder, and room for it.
std::filesystem::path make_store(const std::filesystem::path& folder, const Sid& sid);

}  // namespace divisi::node
