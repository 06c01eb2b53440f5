// SPDX-License-Identifier: Apache-2.0
#include "backend/onnx/file_mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "backend/base/units.h"
#include "backend/onnx/error_texts.h"

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
    // O_NONBLOCK, because opening a FIFO would otherwise wait for its writer. The checks below refuse a FIFO.
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.fd < 0) {
        const bool absent = errno == ENOENT || errno == ENOTDIR;
        return make_error(absent ? error_text("no-model-file") : error_text("model-cannot-be-opened"), where,
                          {std::strerror(errno)});
    }
    struct stat status {};
    if (::fstat(file.fd, &status) != 0)
        return make_error(error_text("model-cannot-be-examined"), where, {std::strerror(errno)});
    if (S_ISDIR(status.st_mode)) return make_error(error_text("model-is-folder"), where);
    if (!S_ISREG(status.st_mode)) return make_error(error_text("model-is-no-regular-file"), where);
    if (status.st_size > size_limit)
        return make_error(error_text("model-file-too-large"), where,
                          {format_bytes(status.st_size), format_bytes(size_limit)});
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) return std::shared_ptr<const FileMapping>(new FileMapping(nullptr, 0));
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
    if (data == MAP_FAILED) return make_error(error_text("model-cannot-be-mapped"), where, {std::strerror(errno)});
    return std::shared_ptr<const FileMapping>(new FileMapping(static_cast<const std::byte*>(data), size));
}

FileMapping::~FileMapping() {
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace divisi::onnx
