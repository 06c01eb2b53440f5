// SPDX-License-Identifier: Apache-2.0
#include "backend/file/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <utility>

#include "backend/file/error_texts.h"
#include "backend/file/folder.h"
#include "backend/file/system_error.h"

namespace divisi::file {
namespace {

/// Returns a temporary name that no other process or thread uses at the same time. A file with this name may remain
/// from a crash; the caller then tries the next name.
std::string temporary_name(const std::filesystem::path& path) {
    static std::atomic<unsigned> count{0};
    const std::string own = std::to_string(::getpid()) + "-" + std::to_string(count++);
    return (path.parent_path() / ("." + path.filename().string() + "." + own + ".part")).string();
}

/// Reads the file to its end. If the file is longer than `limit` bytes, reads only a little more than `limit` bytes.
Result<std::string> read_up_to(const std::filesystem::path& path, const std::string& doing, std::size_t limit) {
    constexpr std::size_t piece = std::size_t{1} << 16;
    const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.is_open()) return system_error(doing, path);
    std::string text;
    while (text.size() <= limit) {
        const std::size_t done = text.size();
        text.resize(done + piece);
        ssize_t count = 0;
        do count = ::read(fd.get(), text.data() + done, piece);
        while (count < 0 && errno == EINTR);
        if (count < 0) return system_error(doing, path);
        text.resize(done + static_cast<std::size_t>(count));
        if (count == 0) break;
    }
    return text;
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path, std::filesystem::path temporary, int fd)
    : path_(std::move(path)), temporary_(std::move(temporary)), fd_(fd) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept = default;

AtomicFile::~AtomicFile() {
    if (fd_.is_open()) ::unlink(temporary_.c_str());
}

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& path, mode_t mode) {
    std::error_code error;
    if (path.filename().empty() || std::filesystem::is_directory(path, error))
        return make_error(error_text("path-is-folder"), path.string());
    std::string temporary;
    int fd = -1;
    do {
        temporary = temporary_name(path);
        fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    } while (fd < 0 && errno == EEXIST);
    if (fd < 0) return system_error("create the file", path);
    return AtomicFile(path, temporary, fd);
}

Result<void> AtomicFile::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd_.get(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return system_error("write the file", path_);
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
    DIVISI_TRY(put_in_place(temporary_, path_));
    fd_.close();
    return {};
}

Result<void> write_file(const std::filesystem::path& path, std::string_view bytes, mode_t mode) {
    DIVISI_ASSIGN(AtomicFile file, AtomicFile::create(path, mode));
    DIVISI_TRY(file.write(std::as_bytes(std::span(bytes))));
    return file.commit();
}

Result<void> sync_file(const std::filesystem::path& path) {
    const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.is_open() || ::fsync(fd.get()) != 0) return system_error("sync the file", path);
    return {};
}

Result<void> put_in_place(const std::filesystem::path& temporary, const std::filesystem::path& path) {
    DIVISI_TRY(sync_file(temporary));
    if (::rename(temporary.c_str(), path.c_str()) != 0) return system_error("rename the file", path);
    return sync_folder(path.parent_path());
}

Result<std::string> read_file(const std::filesystem::path& path) {
    return read_up_to(path, "read the file", std::string().max_size());
}

Result<std::string> read_text(const std::filesystem::path& path, const std::string& kind, const std::string& next) {
    std::error_code code;
    if (std::filesystem::is_directory(path, code))
        return make_error(error_text("text-file-is-folder"), path.string(), {kind});
    auto text = read_up_to(path, "read the " + kind, most_text_bytes);
    if (!text) return make_error(error_text("text-file-unreadable"), path.string(), {text.error().what, next});
    if (text->size() <= most_text_bytes) return text;
    return make_error(error_text("text-file-too-long"), path.string(), {kind, next});
}

}  // namespace divisi::file
