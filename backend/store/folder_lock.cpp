// SPDX-License-Identifier: Apache-2.0
#include "backend/store/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace divisi::store {

Result<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    if (code)
        return Error{ErrorCode::failed, "cannot make the folder: " + code.message(), folder.string(),
                     "check its permissions and free space"};
    FolderLock lock;
    lock.file_ = folder / "lock";
    lock.fd_ = ::open(lock.file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock.fd_ < 0)
        return Error{ErrorCode::failed, std::string("cannot write to the folder: ") + std::strerror(errno),
                     folder.string(), "check its permissions and free space"};
    if (::flock(lock.fd_, LOCK_EX | LOCK_NB) != 0) {
        char holder[32] = {};
        if (::read(lock.fd_, holder, sizeof holder - 1) < 0) holder[0] = '\0';
        ::close(std::exchange(lock.fd_, -1));
        return Error{ErrorCode::conflict, "the folder is in use by process " + std::string(holder), folder.string(),
                     "end that process, or use another folder"};
    }
    const std::string pid = std::to_string(::getpid());
    if (::ftruncate(lock.fd_, 0) != 0 || ::write(lock.fd_, pid.data(), pid.size()) < 0)
        return Error{ErrorCode::exhausted, std::string("cannot write to the folder: ") + std::strerror(errno),
                     folder.string(), "free some space"};
    return lock;
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), file_(std::move(other.file_)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(file_, other.file_);
    return *this;
}

FolderLock::~FolderLock() {
    if (fd_ < 0) return;
    ::unlink(file_.c_str());
    ::close(fd_);
}

}  // namespace divisi::store
