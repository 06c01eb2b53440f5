// SPDX-License-Identifier: Apache-2.0
#include "backend/file/folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "backend/file/descriptor.h"
#include "backend/file/system_error.h"

namespace divisi::file {

Result<void> sync_folder(const std::filesystem::path& folder) {
    const Descriptor fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd.is_open()) return errno == EACCES ? Result<void>() : system_error("open the folder", folder);
    if (::fsync(fd.get()) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS) return {};
    return system_error("sync the folder", folder);
}

Result<void> make_writable(const std::filesystem::path& folder, std::int64_t room) {
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    // create_directories() fails for a symbolic link to a folder, but such a link is a valid folder here.
    if (std::error_code ignored; code && !std::filesystem::is_directory(folder, ignored))
        return system_error("make the folder", folder, code.value());
    std::string probe = (folder / ".room.XXXXXX").string();
    const Descriptor fd(::mkostemp(probe.data(), O_CLOEXEC));
    if (!fd.is_open()) return system_error("write to the folder", folder);
    const int reason = ::posix_fallocate(fd.get(), 0, room);
    ::unlink(probe.c_str());
    if (reason != 0 && reason != EINVAL && reason != EOPNOTSUPP)
        return system_error("write to the folder", folder, reason);
    return {};
}

std::vector<std::filesystem::path> list_folder(const std::filesystem::path& folder, std::error_code& failure) {
    std::vector<std::filesystem::path> found;
    for (std::filesystem::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure))
        found.push_back(at->path());
    return found;
}

bool leads_to(const std::filesystem::path& path, int fd) {
    struct stat open {
    }, named{};
    return ::fstat(fd, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
           open.st_ino == named.st_ino;
}

}  // namespace divisi::file
