// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "backend/base/result.h"

namespace divisi::data {

/// A regular file that can be read at any position and from any thread, without being loaded.
class File {
public:
    /// Opens a file without ever waiting for another process. Fails with `not_found`, `denied` or `invalid_input` (a
    /// folder, a pipe, an empty file), naming the path.
    static Result<File> open(const std::string& path);
    File(File&& other) noexcept
        : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}
    File& operator=(File&&) = delete;
    ~File();

    const std::string& path() const { return path_; }
    std::int64_t size() const { return size_; }
    /// Fills `into` from `offset`. Fails with `corrupt` if the file has become shorter.
    Result<void> read(std::int64_t offset, std::span<std::byte> into) const;

private:
    File(std::string path, int descriptor, std::int64_t size)
        : path_(std::move(path)), descriptor_(descriptor), size_(size) {}

    std::string path_;
    int descriptor_ = -1;
    std::int64_t size_ = 0;
};

}  // namespace divisi::data
