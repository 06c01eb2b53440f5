// SPDX-License-Identifier: Apache-2.0
#include "backend/onnx/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

namespace divisi::onnx {
namespace {

/// A name that no other process or thread takes at the same time; what a crash left behind is passed over.
std::string temporary_name(const std::filesystem::path& path) {
    static std::atomic<unsigned> count{0};
    const std::string own = std::to_string(::getpid()) + "-" + std::to_string(count++);
    return (path.parent_path() / ("." + path.filename().string() + "." + own + ".part")).string();
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path, std::filesystem::path temporary, int fd)
    : path_(std::move(path)), temporary_(std::move(temporary)), fd_(fd) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      fd_(std::exchange(other.fd_, -1)),
      position_(other.position_) {}

AtomicFile::~AtomicFile() {
    if (fd_ < 0) return;
    ::close(fd_);
    ::unlink(temporary_.c_str());
}

Error AtomicFile::failure(const char* doing, int error_number) const {
    const bool full = error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
    return Error{full ? ErrorCode::exhausted : ErrorCode::failed,
                 std::string(doing) + " failed: " + std::strerror(error_number), path_.string(),
                 full ? "free some space; nothing was left behind" : "check the folder and its rights"};
}

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& path) {
    std::error_code error;
    if (path.filename().empty() || std::filesystem::is_directory(path, error))
        return Error{ErrorCode::invalid_input, "is a folder", path.string(), "name a file"};
    std::string temporary;
    int fd = -1;
    do {
        temporary = temporary_name(path);
        fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EEXIST);
    const int error_number = errno;
    AtomicFile file(path, temporary, fd);
    if (fd < 0) return file.failure("creating the file", error_number);
    return file;
}

Result<void> AtomicFile::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return failure("writing", errno);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        position_ += written;
    }
    return {};
}

Result<void> AtomicFile::align(std::int64_t alignment) {
    constexpr std::array<std::byte, 64> zeros{};
    std::int64_t missing = (alignment - position_ % alignment) % alignment;
    while (missing > 0) {
        const auto piece = std::min<std::int64_t>(missing, zeros.size());
        DIVISI_TRY(write(std::span(zeros).first(static_cast<std::size_t>(piece))));
        missing -= piece;
    }
    return {};
}

Result<void> AtomicFile::commit() {
    if (::fsync(fd_) != 0) return failure("syncing", errno);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) return failure("renaming", errno);
    ::close(std::exchange(fd_, -1));
    // The new name must survive a power cut too; a folder that cannot be synced is no reason to fail.
    const auto folder = path_.parent_path().empty() ? std::filesystem::path(".") : path_.parent_path();
    const int folder_fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder_fd >= 0) {
        ::fsync(folder_fd);
        ::close(folder_fd);
    }
    return {};
}

}  // namespace divisi::onnx
