// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>

#include "app/client/cluster_client.h"

namespace divisi::client {

/// Returns this user's data folder, which contains keys, the embedded cluster's state and uploads.
std::filesystem::path default_data_folder();

/// Starts an embedded cluster with its state in the folder `data`. If another program already hosts a cluster with this
/// folder, connects to that cluster.
Result<std::unique_ptr<Host>> host_embedded(const std::filesystem::path& data);

}  // namespace divisi::client
