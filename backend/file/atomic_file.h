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

/// A file that appears completely or not at all. It is written under a temporary name in the same folder, then synced
/// and renamed. The folder is synced too, so that the file survives a power cut.
class AtomicFile {
public:
    /// Creates the temporary file. Fails if the folder does not exist or is not writable. The umask applies to `mode`.
    static Result<AtomicFile> create(const std::filesystem::path& path, mode_t mode = 0666);

    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&&) = delete;
    ~AtomicFile();  ///< removes the temporary file if it was not committed

    Result<void> write(std::span<const std::byte> bytes);
    /// Writes zeros up to the next multiple of `alignment`.
    Result<void> align(std::int64_t alignment);
    std::int64_t position() const { return position_; }

    /// Makes the bytes durable and renames the file to its final name. Replaces an existing file.
    Result<void> commit();

private:
    AtomicFile(std::filesystem::path path, std::filesystem::path temporary, int fd);

    std::filesystem::path path_;
    std::filesystem::path temporary_;
    Descriptor fd_;
    std::int64_t position_ = 0;
};

/// Creates, writes and commits an AtomicFile in one call.
Result<void> write_file(const std::filesystem::path& path, std::string_view bytes, mode_t mode = 0600);

/// Waits until a file's bytes are on the disk.
Result<void> sync_file(const std::filesystem::path& path);

/// Completes a file that was written without AtomicFile: syncs `temporary`, renames it to `path` on the same file
/// system, and syncs the folder. After an error the caller must remove `temporary`.
Result<void> put_in_place(const std::filesystem::path& temporary, const std::filesystem::path& path);

/// Reads a file that Divisi wrote. Fails with `not_found`, or with the reason why the file cannot be read.
Result<std::string> read_file(const std::filesystem::path& path);

/// Size limit in bytes for files that users write. Such files are read into memory as a whole.
inline constexpr std::size_t most_text_bytes = std::size_t{16} << 20;
/// Reads the text of a file that the user named; the file may be a pipe. Fails with `not_found`, or with
/// `invalid_input` for a folder or a text that is too long. `kind` and `next` are parts of error messages, such as
/// "task file" and "check the path".
Result<std::string> read_text(const std::filesystem::path& path, const std::string& kind, const std::string& next);

}  // namespace divisi::file
