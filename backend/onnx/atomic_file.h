// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "backend/base/result.h"

namespace divisi::onnx {

/// A file that appears whole or not at all: written beside its place, then synced and renamed.
class AtomicFile {
public:
    /// Fails when the folder does not exist or may not be written to.
    static Result<AtomicFile> create(const std::filesystem::path& path);

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
    Error failure(const char* doing, int error_number) const;

    std::filesystem::path path_;
    std::filesystem::path temporary_;
    int fd_;
    std::int64_t position_ = 0;
};

}  // namespace divisi::onnx
