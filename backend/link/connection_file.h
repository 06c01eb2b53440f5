// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "backend/base/result.h"

namespace divisi::link {

/// Tells how to reach a cluster; divisid writes it at its start and `--connect FILE` reads it. Two lines of `key =
/// "value"`, valid TOML.
struct Connection {
    std::string endpoint;
    std::string server_key;  ///< CURVE public key, Z85; empty on ipc
};

Result<void> write_connection(const std::filesystem::path& file, const Connection& connection);
Result<Connection> read_connection(const std::filesystem::path& file);

}  // namespace divisi::link
