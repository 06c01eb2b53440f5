// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "backend/base/result.h"
#include "backend/file/descriptor.h"

namespace divisi::file {

/// A file that appears whole or not at all: written beside its place, then synced and renamed, and its folder synced,
/// so that it is there after a power cut too.
class AtomicFile {
public:
    /// Fails when the folder does not exist or may not be written to. `mode` is cut by the umask.
    static Result<AtomicFile> create(const std::filesystem::path& path, mode_t mode = 0666);

    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&&) = delete;
    ~AtomicFile();  ///< removes what was not committed

    Result<void> write(std::span<const std::byte> bytes);
    /// Writes zeros up to the next multiple of `alignment`.
    Result<void> align(std::int64_t alignment);
    std::int64_t position() const { return position_; }

    /// Makes the bytes durable and gives the file its name, replacing what was there.
    Result<void> commit();

private:
    AtomicFile(std::filesystem::path path, std::filesystem::path temporary, int fd);

    std::filesystem::path path_;
    std::filesystem::path temporary_;
    Descriptor fd_;
    std::int64_t position_ = 0;
};

/// The same in one call.
Result<void> write_file(const std::filesystem::path& path, std::string_view bytes, mode_t mode = 0600);

/// Waits until the bytes of a file are on the disk.
Result<void> sync_file(const std::filesystem::path& path);

/// The end of an AtomicFile, for a file that somebody else wrote: syncs `temporary`, renames it to `path` on the same
/// file system, and syncs the folder. After an error `temporary` is the caller's to remove.
Result<void> put_in_place(const std::filesystem::path& temporary, const std::filesystem::path& path);

/// The bytes of a file of ours; `not_found`, or why it cannot be read.
Result<std::string> read_file(const std::filesystem::path& path);

/// No text that a person wrote is longer; it is read whole into memory.
inline constexpr std::size_t most_text_bytes = std::size_t{16} << 20;
/// The text of a file that the user named, which may be a pipe. Fails with `not_found`, or `invalid_input` for a folder
/// and for what is too long. `kind` and `next` are for messages: "task file", "check the path".
Result<std::string> read_text(const std::filesystem::path& path, const std::string& kind, const std::string& next);

}  // namespace divisi::file
