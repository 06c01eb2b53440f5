// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "backend/base/result.h"

namespace divisi::link {

/// Describes how to reach a cluster; divisid writes the description to a file at its start, and `--connect FILE` reads
/// that file. The file has two lines of the form `key = 'value'` and is valid TOML.
struct Connection {
    std::string endpoint;
    std::string server_key;  ///< CURVE public key, Z85; empty on ipc
};

Result<void> write_connection(const std::filesystem::path& file, const Connection& connection);
Result<Connection> read_connection(const std::filesystem::path& file);

}  // namespace divisi::link
