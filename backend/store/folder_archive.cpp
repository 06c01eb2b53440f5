// SPDX-License-Identifier: Apache-2.0
#include "backend/store/folder_archive.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "backend/base/blob.h"
#include "backend/file/descriptor.h"
#include "backend/file/system_error.h"

namespace divisi::store {
namespace {

namespace fs = std::filesystem;
using file::Descriptor;
using file::system_error;

constexpr Bytes block = 512;
/// What a header can say: eleven octal digits, and a name of 100 bytes below a prefix of 155.
constexpr Bytes most_file_bytes = (Bytes{1} << 33) - 1;
constexpr std::size_t name_bytes = 100, prefix_bytes = 155;

/// POSIX.1-1988 "ustar", the fields in their order.
struct Header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100], magic[6], version[2],
        user[32], group[32], major[8], minor[8], prefix[155], pad[12];
};
static_assert(sizeof(Header) == block);

Bytes padded(Bytes size) { return (size + block - 1) / block * block; }

Error broken(const std::string& what, const fs::path& archive) {
    return {ErrorCode::corrupt, what, archive.string(), "remove it and submit the task again"};
}

/// Where a long name is divided: after a '/', so that both parts fit. npos: nowhere.
std::size_t prefix_length(const std::string& name) {
    if (name.size() <= name_bytes) return 0;
    const std::size_t last = name.ends_with('/') ? name.size() - 2 : name.size() - 1;
    const std::size_t slash = name.rfind('/', std::min(prefix_bytes, last));
    return slash == std::string::npos || name.size() - slash - 1 > name_bytes ? std::string::npos : slash;
}

unsigned checksum_of(Header header) {
    std::memset(header.checksum, ' ', sizeof header.checksum);
    unsigned sum = 0;
    for (const std::byte byte : std::as_bytes(std::span(&header, 1))) sum += std::to_integer<unsigned>(byte);
    return sum;
}

Header make_header(const std::string& name, Bytes size) {
    Header header{};
    const std::size_t prefix = prefix_length(name);
    const std::string rest = prefix == 0 ? name : name.substr(prefix + 1);
    std::memcpy(header.prefix, name.data(), prefix);
    std::memcpy(header.name, rest.data(), rest.size());
    const bool folder = name.ends_with('/');
    std::snprintf(header.mode, sizeof header.mode, "%07o", folder ? 0700U : 0600U);
    std::snprintf(header.uid, sizeof header.uid, "%07o", 0U);
    std::snprintf(header.gid, sizeof header.gid, "%07o", 0U);
    std::snprintf(header.size, sizeof header.size, "%011llo", static_cast<unsigned long long>(size));
    std::snprintf(header.mtime, sizeof header.mtime, "%011o", 0U);
    header.type = folder ? '5' : '0';
    std::memcpy(header.magic, "ustar", 6);
    std::memcpy(header.version, "00", 2);
    std::snprintf(header.checksum, sizeof header.checksum, "%06o", checksum_of(header));
    header.checksum[7] = ' ';
    return header;
}

template <std::size_t N>
std::string text_of(const char (&field)[N]) {
    return {field, ::strnlen(field, N)};
}

/// Octal digits; -1 where there is anything else.
template <std::size_t N>
Bytes number_of(const char (&field)[N]) {
    Bytes number = 0;
    std::size_t i = 0;
    for (; i < N && field[i] >= '0' && field[i] <= '7'; ++i) number = number * 8 + (field[i] - '0');
    return i > 0 && (i == N || field[i] == '\0' || field[i] == ' ') ? number : -1;
}

/// No part of a name may lead out of the folder.
bool stays_inside(const std::string& name) {
    if (name.empty() || name.front() == '/' || name.find('\0') != std::string::npos) return false;
    const fs::path path(name);
    return std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".." || part == "."; });
}

Result<void> read_fully(int fd, std::span<std::byte> into, Bytes offset, const fs::path& path) {
    std::size_t done = 0;
    while (done < into.size()) {
        const ssize_t n =
            ::pread(fd, into.data() + done, into.size() - done, static_cast<off_t>(offset) + static_cast<off_t>(done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return system_error("read", path);
        if (n == 0)
            return Error{ErrorCode::conflict, "the file has become shorter", path.string(), "submit the task again"};
        done += static_cast<std::size_t>(n);
    }
    return {};
}

Result<void> copy_out(int from, Bytes offset, Bytes size, const fs::path& target) {
    const Descriptor file(::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.is_open()) return system_error("write", target);
    std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(size, blob_chunk_bytes)));
    for (Bytes done = 0; done < size;) {
        const auto part = std::span(buffer).first(static_cast<std::size_t>(std::min(size - done, blob_chunk_bytes)));
        DIVISI_TRY(read_fully(from, part, offset + done, target));
        if (::write(file.get(), part.data(), part.size()) != static_cast<ssize_t>(part.size()))
            return system_error("write", target);
        done += static_cast<Bytes>(part.size());
    }
    return {};
}

}  // namespace

Result<FolderArchive> FolderArchive::scan(const fs::path& folder) {
    FolderArchive archive(folder);
    DIVISI_TRY(archive.add_folder(folder, "", 0));
    archive.size_ += 2 * block;  // the end: two empty blocks
    return archive;
}

Result<void> FolderArchive::add_folder(const fs::path& path, const std::string& name, int depth) {
    if (depth > most_archive_depth)
        return Error{ErrorCode::unsupported, "more than " + std::to_string(most_archive_depth) + " folders deep",
                     path.string(), "remove links that lead back, or name an inner folder"};
    std::vector<fs::path> found;
    std::error_code code;
    for (fs::directory_iterator at(path, code), end; !code && at != end; at.increment(code))
        if (!at->path().filename().string().starts_with('.')) found.push_back(at->path());
    if (code)
        return Error{ErrorCode::failed, "cannot list the folder: " + code.message(), path.string(), "check the path"};
    std::sort(found.begin(), found.end());
    for (const fs::path& one : found) {
        const std::string inner = name + one.filename().string();
        const fs::file_status status = fs::status(one, code);
        if (fs::is_directory(status)) {
            DIVISI_TRY(add(inner + "/", 0));
            DIVISI_TRY(add_folder(one, inner + "/", depth + 1));
        } else if (fs::is_regular_file(status)) {
            const auto size = fs::file_size(one, code);
            if (code) return Error{ErrorCode::conflict, "the file has vanished", one.string(), "submit the task again"};
            DIVISI_TRY(add(inner, static_cast<Bytes>(size)));
        }
    }
    return {};
}

Result<void> FolderArchive::add(std::string name, Bytes size) {
    const auto refuse = [&](ErrorCode code, std::string what, std::string next) {
        return Error{code, std::move(what), (folder_ / name).string(), std::move(next)};
    };
    const std::string elsewhere = "place the folder on the node and name it as node:/path";
    if (prefix_length(name) == std::string::npos)
        return refuse(ErrorCode::unsupported, "the name is too long to be packed", "shorten it, or " + elsewhere);
    if (size > most_file_bytes)
        return refuse(ErrorCode::exhausted, "the file is larger than " + format_bytes(most_file_bytes), elsewhere);
    if (entries_.size() >= most_archive_entries)
        return refuse(ErrorCode::exhausted,
                      "the folder holds more than " + std::to_string(most_archive_entries) + " files", elsewhere);
    entries_.push_back({std::move(name), size, size_});
    size_ += block + padded(size);
    if (size_ > blob_limit)
        return refuse(ErrorCode::exhausted, "the folder is larger than " + format_bytes(blob_limit), elsewhere);
    return {};
}

Result<void> FolderArchive::read(Bytes offset, std::span<std::byte> into) const {
    auto entry = std::upper_bound(entries_.begin(), entries_.end(), offset,
                                  [](Bytes at, const Entry& one) { return at < one.offset; });
    if (entry != entries_.begin()) --entry;
    std::ranges::fill(into, std::byte{0});  // paddings and the end
    for (; entry != entries_.end() && entry->offset < offset + static_cast<Bytes>(into.size()); ++entry) {
        const Bytes begin = std::max(offset, entry->offset);
        const Bytes end = std::min(offset + static_cast<Bytes>(into.size()), entry->offset + block + entry->size);
        if (begin >= end) continue;
        DIVISI_TRY(
            read_entry(*entry, begin - entry->offset,
                       into.subspan(static_cast<std::size_t>(begin - offset), static_cast<std::size_t>(end - begin))));
    }
    return {};
}

/// `at` counts from the entry's header; `into` ends with the entry's contents at the latest.
Result<void> FolderArchive::read_entry(const Entry& entry, Bytes at, std::span<std::byte> into) const {
    if (at < block) {
        const Header header = make_header(entry.name, entry.size);
        const auto bytes = std::as_bytes(std::span(&header, 1)).subspan(static_cast<std::size_t>(at));
        const std::size_t count = std::min(bytes.size(), into.size());
        std::ranges::copy(bytes.first(count), into.begin());
        into = into.subspan(count);
        at = block;
    }
    if (into.empty()) return {};
    const fs::path path = folder_ / entry.name;
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) return system_error("open", path);
    return read_fully(file.get(), into, at - block, path);
}

Result<void> unpack_archive(const fs::path& archive, const fs::path& folder) {
    const Descriptor file(::open(archive.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) return system_error("open", archive);
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) return system_error("stat", archive);
    if (::mkdir(folder.c_str(), 0700) != 0) return system_error("make the folder", folder);
    Bytes at = 0;
    for (std::size_t count = 0;; ++count) {
        Header header{};
        if (info.st_size - at < block) return broken("the archive ends too early", archive);
        DIVISI_TRY(read_fully(file.get(), std::as_writable_bytes(std::span(&header, 1)), at, archive));
        if (header.name[0] == '\0') return {};
        const std::string prefix = text_of(header.prefix);
        const std::string name = (prefix.empty() ? "" : prefix + "/") + text_of(header.name);
        const Bytes size = number_of(header.size);
        if (number_of(header.checksum) != checksum_of(header) || size < 0 || !stays_inside(name) ||
            (header.type != '0' && header.type != '5') || count >= most_archive_entries)
            return broken("the archive is damaged at byte " + std::to_string(at), archive);
        if (size > info.st_size - at - block) return broken("the archive ends too early", archive);
        if (header.type == '5') {
            if (::mkdir((folder / name).c_str(), 0700) != 0) return system_error("make a folder", folder / name);
        } else {
            DIVISI_TRY(copy_out(file.get(), at + block, size, folder / name));
        }
        at += block + padded(size);
    }
}

}  // namespace divisi::store
