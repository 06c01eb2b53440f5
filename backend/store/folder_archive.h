// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/base/units.h"

namespace divisi::store {

/// Files and folders of one archive; as many pictures as a data set may have.
inline constexpr std::size_t most_archive_entries = 10'000'000;
/// Folders within folders; deeper ones are a loop of links or a mistake.
inline constexpr int most_archive_depth = 16;

/// A folder as one stream of bytes: a POSIX ustar archive, which `tar` lists, with its entries in the order of their
/// names and without owners and times, so that equal names and contents give equal bytes. Hidden files stay out;
/// links are followed. Nothing is copied: read() takes the bytes from the files.
class FolderArchive {
public:
    /// Fails (exhausted, unsupported) when the folder does not fit the limits or the form.
    static Result<FolderArchive> scan(const std::filesystem::path& folder);

    Bytes size() const { return size_; }
    /// Fills `into` from `offset`, which with its length lies within size(). `conflict` when a file has become
    /// shorter since scan().
    Result<void> read(Bytes offset, std::span<std::byte> into) const;

private:
    struct Entry {
        std::string name;  ///< relative; a folder's ends in '/'
        Bytes size = 0;
        Bytes offset = 0;  ///< of its header
    };
    explicit FolderArchive(std::filesystem::path folder) : folder_(std::move(folder)) {}
    Result<void> add_folder(const std::filesystem::path& path, const std::string& name, int depth);
    Result<void> add(std::string name, Bytes size);
    Result<void> read_entry(const Entry& entry, Bytes at, std::span<std::byte> into) const;

    std::filesystem::path folder_;
    std::vector<Entry> entries_;
    Bytes size_ = 0;
};

/// Unpacks an archive of FolderArchive's into `folder`, which is made. The bytes came from elsewhere: names stay
/// inside, there are only files and folders, and what is anything else is refused (corrupt). After an error
/// `folder` holds a part and is the caller's to remove.
Result<void> unpack_archive(const std::filesystem::path& archive, const std::filesystem::path& folder);

}  // namespace divisi::store
