// SPDX-License-Identifier: Apache-2.0
#include "backend/store/folder_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "backend/base/blob.h"
#include "backend/file/descriptor.h"
#include "backend/file/folder.h"
#include "backend/file/system_error.h"
#include "backend/store/error_texts.h"

namespace divisi::store {
namespace {

namespace fs = std::filesystem;
using file::Descriptor;
using file::system_error;

constexpr Bytes block = 512;

struct Close {
    void operator()(archive* one) const { ::archive_free(one); }
    void operator()(archive_entry* one) const { ::archive_entry_free(one); }
};
using Archive = std::unique_ptr<archive, Close>;
using ArchiveEntry = std::unique_ptr<archive_entry, Close>;
using Header = std::array<std::byte, static_cast<std::size_t>(block)>;

Bytes padded(Bytes size) { return (size + block - 1) / block * block; }

std::string what_failed(archive* one) {
    const char* text = ::archive_error_string(one);
    return text != nullptr ? text : "libarchive names no reason";
}

Error broken(const fs::path& archive, const ErrorText& text, std::vector<std::string> args) {
    return make_error(text, archive.string(), std::move(args));
}

Error no_memory() { return make_error(error_text("no-memory-for-archive"), ""); }

/// Returns the header block of an entry, without owner and time. A folder's name ends in '/'. Fails with `unsupported`
/// if ustar has no room for the name or the size.
Result<Header> make_header(const std::string& name, Bytes size) {
    const Archive writer(::archive_write_new());
    const ArchiveEntry entry(::archive_entry_new());
    if (!writer || !entry) return no_memory();
    const bool folder = name.ends_with('/');
    ::archive_entry_copy_pathname(entry.get(), name.c_str());
    ::archive_entry_set_filetype(entry.get(), folder ? AE_IFDIR : AE_IFREG);
    ::archive_entry_set_perm(entry.get(), folder ? 0700 : 0600);
    ::archive_entry_set_mtime(entry.get(), 0, 0);
    ::archive_entry_set_size(entry.get(), size);

    Header header{};
    std::size_t used = 0;
    ::archive_write_set_format_ustar(writer.get());
    ::archive_write_set_bytes_per_block(writer.get(), 0);
    ::archive_write_open_memory(writer.get(), header.data(), header.size(), &used);
    const int status = ::archive_write_header(writer.get(), entry.get());
    const std::string what = status == ARCHIVE_OK ? "" : what_failed(writer.get());
    // The destructor of `writer` cannot close the archive, because there is no room for contents, but still frees it.
    if (status == ARCHIVE_OK && used == header.size()) return header;
    return make_error(error_text("name-cannot-be-packed"), name, {what});
}

/// Returns whether the name stays inside the folder.
bool stays_inside(const std::string& name) {
    if (name.empty() || name.front() == '/') return false;
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
        if (n == 0) return make_error(error_text("archived-file-shorter"), path.string());
        done += static_cast<std::size_t>(n);
    }
    return {};
}

/// Writes one entry below `folder`. Rejects everything except plain files and folders.
Result<void> unpack_entry(archive* reader, archive_entry* entry, const fs::path& path, const fs::path& folder) {
    const char* const text = ::archive_entry_pathname(entry);
    const std::string name = text == nullptr ? "" : text;
    const auto type = ::archive_entry_filetype(entry);
    const bool plain = ::archive_format(reader) == ARCHIVE_FORMAT_TAR_USTAR &&
                       ::archive_entry_hardlink(entry) == nullptr && (type == AE_IFREG || type == AE_IFDIR);
    if (!plain || !stays_inside(name))
        return broken(path, error_text("archive-damaged-at-byte"),
                      {std::to_string(::archive_read_header_position(reader))});
    const fs::path target = folder / name;
    if (type == AE_IFDIR) {
        if (::mkdir(target.c_str(), 0700) != 0) return system_error("make a folder", target);
        return {};
    }
    const Descriptor file(::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.is_open()) return system_error("write", target);
    errno = 0;
    if (::archive_read_data_into_fd(reader, file.get()) == ARCHIVE_OK) return {};
    // Only file operations set errno to one of these values; other errors come from the archive.
    if (errno == ENOSPC || errno == EDQUOT || errno == EIO || errno == EFBIG) return system_error("write", target);
    return broken(path, error_text("archive-damaged"), {what_failed(reader)});
}

}  // namespace

Result<FolderArchive> FolderArchive::scan(const fs::path& folder) {
    FolderArchive archive(folder);
    DIVISI_TRY(archive.add_folder(folder, "", 0));
    archive.size_ += 2 * block;  // two empty blocks mark the end
    return archive;
}

Result<void> FolderArchive::add_folder(const fs::path& path, const std::string& name, int depth) {
    if (depth > most_archive_depth)
        return make_error(error_text("folders-too-deep"), path.string(), {std::to_string(most_archive_depth)});
    std::error_code code;
    auto found = file::list_folder(path, code);
    std::erase_if(found, [](const fs::path& one) { return one.filename().string().starts_with('.'); });
    if (code) return make_error(error_text("folder-cannot-be-listed"), path.string(), {code.message()});
    std::sort(found.begin(), found.end());
    for (const fs::path& one : found) {
        const std::string inner = name + one.filename().string();
        const fs::file_status status = fs::status(one, code);
        if (fs::is_directory(status)) {
            DIVISI_TRY(add(inner + "/", 0));
            DIVISI_TRY(add_folder(one, inner + "/", depth + 1));
        } else if (fs::is_regular_file(status)) {
            const auto size = fs::file_size(one, code);
            if (code) return make_error(error_text("archived-file-vanished"), one.string());
            DIVISI_TRY(add(inner, static_cast<Bytes>(size)));
        }
    }
    return {};
}

Result<void> FolderArchive::add(std::string name, Bytes size) {
    const std::string where = (folder_ / name).string();
    if (auto header = make_header(name, size); !header) {
        Error error = std::move(header).error();
        error.where = where;
        error.next = error_text("name-cannot-be-packed").next;
        return error;
    }
    if (entries_.size() >= most_archive_entries)
        return make_error(error_text("folder-of-many-files"), where, {std::to_string(most_archive_entries)});
    entries_.push_back({std::move(name), size, size_});
    size_ += block + padded(size);
    if (size_ > blob_limit)
        return make_error(error_text("folder-too-large-for-blob"), (folder_ / "").string(), {format_bytes(blob_limit)});
    return {};
}

Result<void> FolderArchive::read(Bytes offset, std::span<std::byte> into) const {
    auto entry = std::upper_bound(entries_.begin(), entries_.end(), offset,
                                  [](Bytes at, const Entry& one) { return at < one.offset; });
    if (entry != entries_.begin()) --entry;
    std::ranges::fill(into, std::byte{0});  // padding and end blocks stay zero
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

/// Reads bytes of one entry. `at` counts from the entry's header; `into` must not reach beyond the entry's contents.
Result<void> FolderArchive::read_entry(const Entry& entry, Bytes at, std::span<std::byte> into) const {
    if (at < block) {
        DIVISI_ASSIGN(const Header header, make_header(entry.name, entry.size));
        const auto bytes = std::span(header).subspan(static_cast<std::size_t>(at));
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

Result<void> unpack_archive(const fs::path& path, const fs::path& folder) {
    const Archive reader(::archive_read_new());
    if (!reader) return no_memory();
    ::archive_read_support_format_tar(reader.get());
    if (::archive_read_open_filename(reader.get(), path.c_str(), static_cast<std::size_t>(blob_chunk_bytes)) !=
        ARCHIVE_OK)
        return broken(path, error_text("archive-cannot-be-read"), {what_failed(reader.get())});
    if (::mkdir(folder.c_str(), 0700) != 0) return system_error("make the folder", folder);
    archive_entry* entry = nullptr;  // owned by the reader
    for (std::size_t count = 0;; ++count) {
        const int status = ::archive_read_next_header(reader.get(), &entry);
        if (status == ARCHIVE_EOF) return {};
        if (count == most_archive_entries) break;
        if (status != ARCHIVE_OK) return broken(path, error_text("archive-damaged"), {what_failed(reader.get())});
        DIVISI_TRY(unpack_entry(reader.get(), entry, path, folder));
    }
    return broken(path, error_text("archive-with-many-files"), {std::to_string(most_archive_entries)});
}

}  // namespace divisi::store
