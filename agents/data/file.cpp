// SPDX-License-Identifier: Apache-2.0
#include "agents/data/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace divisi::data {

namespace {
Error system_error(const std::string& path, int number) {
    const std::string reason = std::generic_category().message(number);
    switch (number) {
        case ENOENT:
        case ENOTDIR: return {ErrorCode::not_found, "no such file or folder", path, "check [data] path"};
        case EACCES:
        case EPERM: return {ErrorCode::denied, "this user cannot read the file", path, "change its permissions"};
        case ENXIO: return {ErrorCode::invalid_input, "is a socket, not a file", path, "name a file"};
        default: return {ErrorCode::failed, reason, path, "check the path and its disk"};
    }
}

const char* name_of(mode_t mode) {
    switch (mode & S_IFMT) {
        case S_IFDIR: return "a folder";
        case S_IFIFO: return "a pipe (FIFO)";
        case S_IFSOCK: return "a socket";
        case S_IFCHR:
        case S_IFBLK: return "a device";
        default: return "not a regular file";
    }
}

}  // namespace

Result<File> File::open(const std::string& path) {
    // Without O_NONBLOCK, opening a pipe would wait for a writer. A check before the opening would be a race.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) return system_error(path, errno);
    File file(path, descriptor, 0);
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return system_error(path, errno);
    if (!S_ISREG(status.st_mode)) {
        return Error{ErrorCode::invalid_input, std::string("is ") + name_of(status.st_mode) + ", not a file", path,
                     "name a regular file: samples are read in any order and more than once"};
    }
    if (status.st_size == 0) return Error{ErrorCode::invalid_input, "the file is empty", path, "name a file with data"};
    file.size_ = status.st_size;
    return file;
}

File::~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> File::read(std::int64_t offset, std::span<std::byte> into) const {
    while (!into.empty()) {
        const ssize_t count = ::pread(descriptor_, into.data(), into.size(), offset);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return system_error(path_, errno);
        if (count == 0) {
            return Error{ErrorCode::corrupt,
                         "the file ends at byte " + std::to_string(offset) + " of " + std::to_string(size_), path_,
                         "the file was truncated while in use; restore it"};
        }
        into = into.subspan(static_cast<std::size_t>(count));
        offset += count;
    }
    return {};
}

}  // namespace divisi::data
