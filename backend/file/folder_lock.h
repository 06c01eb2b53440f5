// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <utility>

#include "backend/base/result.h"
#include "backend/file/descriptor.h"

namespace divisi::file {

/// Locks a folder for one process. The kernel releases the lock when the process ends for any reason, so a lock is
/// never stale. The lock file in the folder contains the pid of the holder.
class FolderLock {
public:
    /// Locks the folder. Fails with `conflict`, naming the holder's pid, if another process holds the lock.
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
