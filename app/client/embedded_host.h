// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>

#include "app/client/cluster_client.h"

namespace divisi::client {

/// This user's data folder: keys, the embedded cluster's state, uploads.
std::filesystem::path default_data_folder();

/// Starts an embedded cluster on `data`, or joins the one that runs there already (its host is another program).
Result<std::unique_ptr<Host>> host_embedded(const std::filesystem::path& data);

}  // namespace divisi::client
