// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "backend/control/protocol/message.h"

namespace divisi::instance {

/// Returns where a file of a deployed task is on this machine. If the client uploaded it, it is in the node's blob
/// store (`blobs`), otherwise where the task file says. `path` is the path in the task file. Fails with `not_found` if
/// the store lacks it.
Result<std::string> local_path(const control::Deploy& deploy, const std::filesystem::path& blobs,
                               const std::string& purpose, const std::string& path);

struct KeptFile {
    std::string hash;
    std::filesystem::path path;
};
/// Moves a file of this machine into the blob store in folder `blobs`, so that clients and other nodes can fetch it.
/// The file keeps no other name, so that the node can remove it when space is needed.
Result<KeptFile> keep_as_blob(const std::filesystem::path& file, const std::filesystem::path& blobs);

}  // namespace divisi::instance
