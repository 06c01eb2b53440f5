// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "backend/control/protocol/store_export.h"

namespace divisi::client {

/// Writes what `divisictl stores export` writes, by the file's ending: the first table as CSV, or all as JSON lines;
/// whole, or not at all. What is there already is replaced: a file dialog has asked.
Result<void> export_store(const std::filesystem::path& file, const control::StoreReading& read);

}  // namespace divisi::client
