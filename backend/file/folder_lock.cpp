// SPDX-License-Identifier: Apache-2.0
#include "backend/file/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "backend/file/error_texts.h"
#include "backend/file/folder.h"
#include "backend/file/system_error.h"

namespace divisi::file {
namespace {

Error in_use(int fd, const std::filesystem::path& folder) {
    char holder[32] = {};
    if (::read(fd, holder, sizeof holder - 1) < 0) holder[0] = '\0';
    return make_error(error_text("folder-in-use"), folder.string(), {std::string(holder)});
}

}  // namespace

Result<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    if (code) return system_error("make the folder", folder, code.value());
    FolderLock lock;
    lock.file_ = folder / "lock";
    do {
        lock.fd_ = Descriptor(::open(lock.file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        if (!lock.fd_.is_open()) return system_error("write to the folder", folder);
        if (::flock(lock.fd_.get(), LOCK_EX | LOCK_NB) != 0) {
            Error error =
                errno == EWOULDBLOCK ? in_use(lock.fd_.get(), folder) : system_error("lock the folder", folder);
            lock.fd_.close();
            return error;
        }
        // The previous holder removes the file before it releases the lock, so the file locked here may already have
        // been removed.
    } while (!leads_to(lock.file_, lock.fd_.get()));
    const std::string pid = std::to_string(::getpid());
    if (::ftruncate(lock.fd_.get(), 0) != 0 || ::write(lock.fd_.get(), pid.data(), pid.size()) < 0)
        return system_error("write to the folder", folder);
    return lock;
}

FolderLock::~FolderLock() {
    if (fd_.is_open() && leads_to(file_, fd_.get())) ::unlink(file_.c_str());
}

}  // namespace divisi::file
