// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "backend/control/protocol/store_export.h"

namespace divisi::client {

/// Writes the same file as `divisictl stores export`. The extension of the file determines its content: the first table
/// as CSV, or all tables as JSON lines. The file is written completely or not at all. An existing file is replaced,
/// because the file dialog has already asked the user.
Result<void> export_store(const std::filesystem::path& file, const control::StoreReading& read);

}  // namespace divisi::client
