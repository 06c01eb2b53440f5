// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "backend/control/types/store_types.h"

namespace divisi::store {

// Reads state stores for the orchestrator, even while their instances write.

/// Describes a store. Sets `damage` if the store cannot be opened, or if its identity or its progress is damaged.
control::StoreView describe_store(const std::filesystem::path& file);

/// Returns a page of one table, within the limits of store_types.h; texts of more than 64 KiB are shortened.
/// Fails with `not_found` if the file is missing, `conflict` if it belongs to another SID, `corrupt` if it cannot be
/// read. Single damaged rows are left out and counted.
Result<control::StorePage> read_store_page(const std::filesystem::path& file, const control::ReadStore& question);

}  // namespace divisi::store
