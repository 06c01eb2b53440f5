// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "backend/base/result.h"

namespace divisi::store {

/// Holds a folder for one process. The kernel frees the lock when the process ends, whatever ends it, so that a
/// lock is never stale; the file in the folder only says who holds it.
class FolderLock {
public:
    /// `conflict`, naming the holder's pid, when another process has it.
    static Result<FolderLock> take(const std::filesystem::path& folder);
    FolderLock(FolderLock&& other) noexcept;
    FolderLock& operator=(FolderLock&& other) noexcept;
    ~FolderLock();

private:
    FolderLock() = default;
    int fd_ = -1;
    std::filesystem::path file_;
};

}  // namespace divisi::store
