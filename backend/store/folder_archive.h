// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/base/units.h"

namespace divisi::store {

/// Limit on files and folders in one archive, enough for the pictures of a large data set.
inline constexpr std::size_t most_archive_entries = 10'000'000;
/// Limit on the depth of nested folders; more depth means a loop of links or a mistake.
inline constexpr int most_archive_depth = 16;

/// A folder as one stream of bytes, in POSIX ustar format, which `tar` lists. Entries are sorted by name and have no
/// owners or times, so that equal names and contents result in equal bytes. Hidden files are left out; links are
/// followed. Nothing is copied: read() reads the bytes directly from the files.
class FolderArchive {
public:
    /// Lists the folder. Fails (exhausted, unsupported) if the folder exceeds the limits or does not fit the format.
    static Result<FolderArchive> scan(const std::filesystem::path& folder);

    Bytes size() const { return size_; }
    /// Fills `into` from `offset`; both must lie within size(). Fails with `conflict` if a file has become shorter
    /// since scan().
    Result<void> read(Bytes offset, std::span<std::byte> into) const;

private:
    struct Entry {
        std::string name;  ///< relative path; the path of a folder ends in '/'
        Bytes size = 0;
        Bytes offset = 0;  ///< offset of the entry's header in the archive
    };
    explicit FolderArchive(std::filesystem::path folder) : folder_(std::move(folder)) {}
    Result<void> add_folder(const std::filesystem::path& path, const std::string& name, int depth);
    Result<void> add(std::string name, Bytes size);
    Result<void> read_entry(const Entry& entry, Bytes at, std::span<std::byte> into) const;

    std::filesystem::path folder_;
    std::vector<Entry> entries_;
    Bytes size_ = 0;
};

/// Unpacks an archive made by FolderArchive into the new folder `folder`. The bytes are not trusted: names must stay
/// inside the folder, and anything except files and folders is rejected (corrupt). After an error, `folder` is
/// incomplete and the caller must remove it.
Result<void> unpack_archive(const std::filesystem::path& archive, const std::filesystem::path& folder);

}  // namespace divisi::store
