// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "backend/control/protocol/message.h"

namespace divisi::instance {

/// Where a deployed task's file lies on this machine: in the node's blob store (`blobs`) if its client brought it
/// there, else where the task file says. `path` is the task file's. `not_found` when the store lacks it.
Result<std::string> local_path(const control::Deploy& deploy, const std::filesystem::path& blobs,
                               const std::string& purpose, const std::string& path);

struct KeptFile {
    std::string hash;
    std::filesystem::path path;
};
/// Makes a file of this machine a blob of the store in folder `blobs`, so that clients and other nodes can fetch it.
/// Its only name is the blob's then, so that the node can make room.
Result<KeptFile> keep_as_blob(const std::filesystem::path& file, const std::filesystem::path& blobs);

}  // namespace divisi::instance
