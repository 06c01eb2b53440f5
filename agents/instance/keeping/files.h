// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "backend/base/result.h"
#include "backend/control/protocol/message_fwd.h"

namespace divisi::instance {

/// Returns the location of a deployed task's file on this machine. If the client uploaded the file, it is in the node's
/// blob store (`blobs`), otherwise at the path in the task file. `path` is the path in the task file. Fails with
/// `not_found` if the store does not have it.
Result<std::string> local_path(const control::Deploy& deploy, const std::filesystem::path& blobs,
                               const std::string& purpose, const std::string& path);

struct KeptFile {
    std::string hash;
    std::filesystem::path path;
};
/// Moves a file of this machine into the blob store in the folder `blobs`, so that clients and other nodes can fetch
/// it. The file is removed from its old path, so that the node frees its space when it deletes the blob.
Result<KeptFile> keep_as_blob(const std::filesystem::path& file, const std::filesystem::path& blobs);

}  // namespace divisi::instance
