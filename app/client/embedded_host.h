// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>

#include "app/client/cluster_client.h"

namespace divisi::client {

/// Returns this user's data folder, which holds keys, the embedded cluster's state and uploads.
std::filesystem::path default_data_folder();

/// Starts an embedded cluster on `data`. If another program already hosts one there, joins it.
Result<std::unique_ptr<Host>> host_embedded(const std::filesystem::path& data);

}  // namespace divisi::client
