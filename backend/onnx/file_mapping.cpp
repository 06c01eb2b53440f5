// SPDX-License-Identifier: Apache-2.0
#include "backend/onnx/file_mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "backend/base/units.h"

namespace divisi::onnx {
namespace {

struct Descriptor {
    int fd;
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
};

}  // namespace

Result<std::shared_ptr<const FileMapping>> FileMapping::open(const std::filesystem::path& path,
                                                             std::int64_t size_limit) {
    const std::string where = path.string();
    // O_NONBLOCK makes opening a FIFO fail below instead of waiting for its writer.
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.fd < 0) {
        const bool absent = errno == ENOENT || errno == ENOTDIR;
        return Error{absent ? ErrorCode::not_found : ErrorCode::failed,
                     std::string("cannot be opened: ") + std::strerror(errno), where, "check the path and its rights"};
    }
    struct stat status {};
    if (::fstat(file.fd, &status) != 0)
        return Error{ErrorCode::failed, std::string("cannot be examined: ") + std::strerror(errno), where, ""};
    if (S_ISDIR(status.st_mode))
        return Error{ErrorCode::invalid_input, "is a folder", where, "name the file inside it"};
    if (!S_ISREG(status.st_mode))
        return Error{ErrorCode::invalid_input, "is not a regular file", where, "name a file on a disk"};
    if (status.st_size > size_limit)
        return Error{ErrorCode::exhausted,
                     "has " + format_bytes(status.st_size) + ", more than the limit of " + format_bytes(size_limit),
                     where, "use a smaller model, or keep its weights as external data"};
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) return std::shared_ptr<const FileMapping>(new FileMapping(nullptr, 0));
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
    if (data == MAP_FAILED)
        return Error{ErrorCode::exhausted, std::string("cannot be mapped: ") + std::strerror(errno), where,
                     "free some memory"};
    return std::shared_ptr<const FileMapping>(new FileMapping(static_cast<const std::byte*>(data), size));
}

FileMapping::~FileMapping() {
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace divisi::onnx
