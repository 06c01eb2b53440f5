// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "backend/control/types/store_types.h"

namespace divisi::store {

// State stores as the orchestrator tells of them; also while their instances write.

/// What a store says of itself. `damage` where it cannot be opened, or where its own row or its progress is damaged.
control::StoreView describe_store(const std::filesystem::path& file);

/// A page of one table, within the bounds of control/store_types.h; texts of more than 64 KiB are cut. `not_found`
/// where there is no such file, `conflict` where it is another SID's, `corrupt` where it cannot be read; single rows
/// that are damaged are left out and counted.
Result<control::StorePage> read_store_page(const std::filesystem::path& file, const control::ReadStore& question);

}  // namespace divisi::store
