// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <utility>

#include "backend/base/result.h"
#include "backend/file/descriptor.h"

namespace divisi::file {

/// Holds a folder for one process. The kernel frees the lock when the process ends, whatever ends it, so that a
/// lock is never stale; the file in the folder only says who holds it.
class FolderLock {
public:
    /// `conflict`, naming the holder's pid, when another process has it.
    static Result<FolderLock> take(const std::filesystem::path& folder);
    FolderLock(FolderLock&& other) noexcept = default;
    FolderLock& operator=(FolderLock&& other) noexcept {
        std::swap(fd_, other.fd_);
        std::swap(file_, other.file_);
        return *this;
    }
    ~FolderLock();

private:
    FolderLock() = default;
    Descriptor fd_;
    std::filesystem::path file_;
};

}  // namespace divisi::file
