// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "backend/base/blob.h"
#include "backend/base/result.h"
#include "backend/store/folder_archive.h"

namespace divisi::store {

/// A file, or a folder as its archive, that is about to be brought to a node: described once, then read in pieces,
/// without a copy.
class BlobSource {
public:
    /// Reads everything, to name it by its content: a second or so for each GB.
    static Result<BlobSource> open(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    const BlobManifest& manifest() const { return manifest_; }
    bool is_folder() const { return archive_.has_value(); }
    /// One piece. `conflict` when it is not what open() found there: the file has changed meanwhile.
    Result<std::string> read(std::uint32_t index) const;

private:
    BlobSource() = default;
    Result<void> describe_folder();

    std::filesystem::path path_;
    BlobManifest manifest_;
    std::optional<FolderArchive> archive_;
};

}  // namespace divisi::store
