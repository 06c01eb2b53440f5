// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "backend/base/blob.h"
#include "backend/base/result.h"
#include "backend/store/folder_archive.h"

namespace divisi::store {

/// A file, or a folder as its archive, to upload to a node. It is described once, then read in pieces, without a copy.
class BlobSource {
public:
    /// Reads everything once to compute the hash; takes about a second for each GB.
    static Result<BlobSource> open(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    const BlobManifest& manifest() const { return manifest_; }
    bool is_folder() const { return archive_.has_value(); }
    /// Returns one piece. Fails with `conflict` if the content differs from what open() read: the file has changed
    /// meanwhile.
    Result<std::string> read(std::uint32_t index) const;

private:
    BlobSource() = default;
    Result<void> describe_folder();

    std::filesystem::path path_;
    BlobManifest manifest_;
    std::optional<FolderArchive> archive_;
};

}  // namespace divisi::store
