// SPDX-License-Identifier: Apache-2.0
#include "backend/store/blob_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <map>
#include <optional>
#include <string_view>

#include "backend/file/atomic_file.h"
#include "backend/file/descriptor.h"
#include "backend/file/folder.h"
#include "backend/file/system_error.h"
#include "backend/frame/crc32c.h"
#include "backend/store/blob_hash.h"
#include "backend/store/error_texts.h"
#include "backend/store/folder_archive.h"

namespace divisi::store {
namespace {

namespace fs = std::filesystem;
using file::Descriptor;
using file::system_error;

// Suffix of a blob that is not complete yet.
constexpr const char* begun = ".part";
/// Prefix of a second concurrent writer's suffix, followed by a random part.
constexpr const char* begun_beside = ".part.";
/// Suffix of the folder into which an archive was unpacked.
constexpr const char* unpacked = ".folder";
/// Suffix of the file with the checksums of the pieces, one a line. With this file, a peer that fetches the blob need
/// not wait until the blob has been read and hashed.
constexpr const char* pieces = ".pieces";
/// Separates the hash of a snapshot from the hash of its part in the name of the part.
constexpr const char* part_of = ".of.";
/// Suffix of a part of a snapshot while it is being written.
constexpr const char* selected = ".selected";

Bytes chunk_size(const BlobManifest& manifest, std::size_t index) {
    return std::min(blob_chunk_bytes, manifest.size - static_cast<Bytes>(index) * blob_chunk_bytes);
}

Error no_hash(const std::string& text, const fs::path& folder) {
    return make_error(error_text("no-blob-hash"), folder.string(), {text});
}

Result<void> check(const BlobManifest& m) {
    const auto chunks = static_cast<std::size_t>((m.size + blob_chunk_bytes - 1) / blob_chunk_bytes);
    if (!is_blob_hash(m.hash) || m.size < 0 || m.size > blob_limit || m.chunks.size() != chunks)
        return make_error(error_text("blob-description-inconsistent"), m.hash);
    return {};
}

/// Locks the file until the descriptor is closed; returns whether this is its only writer. If files cannot be locked,
/// every writer is treated as the only writer.
bool is_alone(const Descriptor& fd, const fs::path& path) {
    const bool locked = ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    return locked && file::leads_to(path, fd.get());  // the previous owner may have moved the file into place meanwhile
}

/// Makes the many files of a folder durable with one call.
void sync_all(const fs::path& folder) {
    const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.is_open()) ::syncfs(fd.get());
}

std::string text_of(const std::vector<std::uint32_t>& chunks) {
    std::string text;
    for (const std::uint32_t chunk : chunks) {
        std::array<char, 10> line;  // eight digits, a line break, and the final zero of snprintf
        std::snprintf(line.data(), line.size(), "%08x\n", chunk);
        text += line.data();
    }
    return text;
}

/// Parses checksums. Returns none if text_of() did not write the text: an earlier version stored hashes in the file.
std::optional<std::vector<std::uint32_t>> chunks_in(std::string_view text) {
    constexpr std::size_t digits = 8, line = digits + 1;
    std::vector<std::uint32_t> chunks;
    for (; !text.empty(); text.remove_prefix(line)) {
        std::uint32_t chunk = 0;
        if (text.size() < line || text[digits] != '\n') return std::nullopt;
        const auto read = std::from_chars(text.data(), text.data() + digits, chunk, 16);
        if (read.ec != std::errc() || read.ptr != text.data() + digits) return std::nullopt;
        chunks.push_back(chunk);
    }
    return chunks;
}

}  // namespace

// --- BlobWriter ----------------------------------------------------------------------------------

BlobWriter::PartialFile::~PartialFile() {
    if (!file.empty()) ::unlink(file.c_str());
}

std::vector<std::uint32_t> BlobWriter::missing() const {
    std::vector<std::uint32_t> indices;
    for (std::size_t i = 0; i < present_.size(); ++i)
        if (!present_[i]) indices.push_back(static_cast<std::uint32_t>(i));
    return indices;
}

Result<void> BlobWriter::put(std::uint32_t index, std::span<const std::byte> bytes) {
    if (index >= present_.size())
        return make_error(error_text("no-piece-of-blob"), manifest_.hash, {std::to_string(index)});
    if (present_[index]) return {};
    if (static_cast<Bytes>(bytes.size()) != chunk_size(manifest_, index) ||
        frame::crc32c(bytes) != manifest_.chunks[index])
        return make_error(error_text("piece-not-as-described"), manifest_.hash, {std::to_string(index)});
    std::size_t done = 0;
    while (done < bytes.size()) {
        const off_t offset = static_cast<off_t>(index) * blob_chunk_bytes + static_cast<off_t>(done);
        const ssize_t n = ::pwrite(fd_.get(), bytes.data() + done, bytes.size() - done, offset);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return system_error("write a blob", part_.parent_path());
        done += static_cast<std::size_t>(n);
    }
    present_[index] = true;
    if (index == hashed_) hash(bytes);
    return {};
}

void BlobWriter::hash(std::span<const std::byte> piece) {
    whole_.add(piece);
    ++hashed_;
}

Result<fs::path> BlobWriter::finish() {
    if (!fd_.is_open()) return final_;  // the blob was already complete, or was completed by the last call
    if (const auto open = missing(); !open.empty())
        return make_error(error_text("blob-pieces-missing"), manifest_.hash, {std::to_string(open.size())});
    DIVISI_TRY(for_each_piece(
        fd_.get(), part_,
        [&](std::size_t, std::span<const std::byte> bytes) -> Result<void> {
            hash(bytes);
            return {};
        },
        hashed_));
    if (whole_.hex() != manifest_.hash) {
        // Every piece matched its checksum, so the manifest itself was wrong, and no part of the data can be used.
        ::unlink(part_.c_str());
        return make_error(error_text("pieces-do-not-give-file"), manifest_.hash);
    }
    DIVISI_TRY(file::write_file(final_.string() + pieces, text_of(manifest_.chunks)));
    std::error_code code;
    const auto moved = file::leads_to(part_, fd_.get())
                           ? file::put_in_place(part_, final_)
                           : Result<void>(make_error(error_text("begun-blob-removed"), manifest_.hash));
    // If another writer of the same blob was faster, its file has the same bytes.
    if (!moved && !fs::is_regular_file(final_, code)) return moved.error();
    fd_.close();
    return final_;
}

// --- BlobStore -----------------------------------------------------------------------------------

Result<BlobStore> BlobStore::open(const fs::path& folder, Bytes capacity) {
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) return system_error("make the blob folder", folder, code.value());
    ::chmod(folder.c_str(), 0700);
    return BlobStore(folder, capacity);
}

bool BlobStore::has(const std::string& hash) const { return path_of(hash).ok(); }

Result<fs::path> BlobStore::path_of(const std::string& hash) const {
    if (!is_blob_hash(hash)) return no_hash(hash, folder_);
    std::error_code code;
    const fs::path path = folder_ / hash;
    if (!fs::is_regular_file(path, code)) return make_error(error_text("no-such-blob"), folder_.string(), {hash});
    return path;
}

Result<BlobManifest> BlobStore::describe(const std::string& hash) const {
    DIVISI_ASSIGN(const fs::path path, path_of(hash));
    touch(hash);
    const fs::path known = path.string() + pieces;
    std::error_code code;
    BlobManifest manifest{hash, static_cast<Bytes>(fs::file_size(path, code)), {}};
    if (const auto text = file::read_file(known); text && !code) {
        if (auto chunks = chunks_in(*text)) manifest.chunks = *std::move(chunks);
        if (check(manifest)) return manifest;
    }
    DIVISI_ASSIGN(manifest, describe_file(path));
    if (manifest.hash != hash) return make_error(error_text("blob-changed-on-disk"), path.string());
    (void)file::write_file(known, text_of(manifest.chunks));  // without this file, the next call reads the blob again
    return manifest;
}

Result<BlobWriter> BlobStore::begin(const BlobManifest& manifest) {
    DIVISI_TRY(check(manifest));
    BlobWriter writer;
    writer.manifest_ = manifest;
    writer.final_ = folder_ / manifest.hash;
    writer.part_ = folder_ / (manifest.hash + begun);
    writer.present_.assign(manifest.chunks.size(), true);
    touch(manifest.hash);
    if (has(manifest.hash)) return writer;

    std::error_code code;
    bool resumed = fs::exists(writer.part_, code);
    if (capacity_ > 0 && !resumed && used() + manifest.size > capacity_)
        return make_error(error_text("blob-store-full"), folder_.string(), {format_bytes(capacity_)});
    writer.fd_ = Descriptor(::open(writer.part_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (writer.fd_.is_open() && !is_alone(writer.fd_, writer.part_)) {
        // Use a separate file: the pieces of a concurrent writer may differ, and the bytes that this writer has written
        // and hashed must not change.
        std::string own = folder_ / (manifest.hash + begun_beside + "XXXXXX");
        writer.fd_ = Descriptor(::mkostemp(own.data(), O_CLOEXEC));
        writer.part_ = own;
        if (writer.fd_.is_open()) writer.partial_file_ = BlobWriter::PartialFile(own);
        resumed = false;
    }
    if (!writer.fd_.is_open()) return system_error("write a blob", folder_);
    // Allocate the space now, so that a full disk is noticed before the first piece is sent.
    const int fd = writer.fd_.get();
    if (const int reason = manifest.size == 0 ? 0 : ::posix_fallocate(fd, 0, manifest.size); reason != 0) {
        if (!resumed) ::unlink(writer.part_.c_str());
        return system_error("make room for a blob of " + format_bytes(manifest.size), folder_, reason);
    }
    if (::ftruncate(fd, manifest.size) != 0) return system_error("write a blob", folder_);
    writer.present_.assign(manifest.chunks.size(), false);
    if (!resumed) return writer;
    DIVISI_TRY(for_each_piece(fd, writer.part_, [&](std::size_t i, std::span<const std::byte> bytes) -> Result<void> {
        writer.present_[i] = frame::crc32c(bytes) == manifest.chunks[i];
        return {};
    }));
    return writer;
}

Result<fs::path> BlobStore::import(const fs::path& file) {
    DIVISI_ASSIGN(const BlobManifest manifest, describe_file(file));
    DIVISI_ASSIGN(BlobWriter writer, begin(manifest));
    const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.is_open()) return system_error("open", file);
    DIVISI_TRY(for_each_piece(fd.get(), file, [&](std::size_t index, std::span<const std::byte> bytes) {
        return writer.put(static_cast<std::uint32_t>(index), bytes);
    }));
    return writer.finish();
}

Result<std::string> BlobStore::adopt(const fs::path& file) {
    // Write to the disk and hash at the same time.
    auto durable = std::async([&file] { return file::sync_file(file); });
    auto described = describe_file(file);
    const auto synced = durable.get();
    DIVISI_ASSIGN(const BlobManifest manifest, std::move(described));
    DIVISI_TRY(synced);
    const fs::path path = folder_ / manifest.hash;
    if (::link(file.c_str(), path.c_str()) != 0 && errno != EEXIST)
        return system_error("keep the file as a blob", path);
    touch(manifest.hash);
    // also makes the blob durable, by syncing the folder
    DIVISI_TRY(file::write_file(path.string() + pieces, text_of(manifest.chunks)));
    return manifest.hash;
}

Result<fs::path> BlobStore::folder_of(const std::string& hash) {
    DIVISI_ASSIGN(const fs::path archive, path_of(hash));
    const fs::path folder = folder_ / (hash + unpacked);
    std::error_code code;
    if (fs::is_directory(folder, code)) return folder;
    std::string temporary = folder.string() + ".XXXXXX";
    if (::mkdtemp(temporary.data()) == nullptr) return system_error("make a folder", folder_);
    auto done = unpack_archive(archive, fs::path(temporary) / "0");
    if (done.ok()) sync_all(folder_);  // a folder with this name must be complete even after a power cut
    // If another process was faster, the folder of that process has the same content.
    if (done.ok() && ::rename((temporary + "/0").c_str(), folder.c_str()) != 0 && !fs::is_directory(folder, code))
        done = system_error("move a folder into place", folder);
    fs::remove_all(temporary, code);
    if (!done.ok()) return std::move(done).error();
    return folder;
}

fs::path BlobStore::path_to_select(const std::string& snapshot) const {
    return folder_ / (snapshot + selected + "." + std::to_string(::getpid()));
}

Result<void> BlobStore::keep_part(const std::string& of, const std::string& part) {
    if (!is_blob_hash(of)) return no_hash(of, folder_);
    DIVISI_ASSIGN(const fs::path path, path_of(part));
    const fs::path kept = folder_ / (of + part_of + part);
    if (::link(path.c_str(), kept.c_str()) != 0 && errno != EEXIST)
        return system_error("keep a part of a snapshot", kept);
    return file::sync_folder(folder_);
}

std::vector<BlobPart> BlobStore::parts_of(const std::string& snapshot) const {
    const std::string begin = snapshot + part_of;
    std::vector<BlobPart> parts;
    std::error_code code;
    for (const fs::path& path : file::list_folder(folder_, code)) {
        const std::string name = path.filename().string();
        if (name.starts_with(begin) && is_blob_hash(name.substr(begin.size())))
            parts.push_back({name.substr(begin.size()), path});
    }
    std::ranges::sort(parts, {}, &BlobPart::hash);
    return parts;
}

void BlobStore::clean_up() {
    std::error_code code;
    for (const fs::path& path : file::list_folder(folder_, code)) {
        const std::string name = path.filename().string();
        if (name.find(std::string(unpacked) + ".") != std::string::npos || name.find(selected) != std::string::npos ||
            name.find(begun_beside) != std::string::npos)
            fs::remove_all(path, code);
    }
}

std::vector<BlobUse> BlobStore::list() const {
    std::map<std::string, BlobUse> blobs;
    std::error_code code;
    for (const fs::path& path : file::list_folder(folder_, code)) {
        const std::string name = path.filename().string();
        const std::string hash = name.substr(0, name.find('.')), rest = name.substr(hash.size());
        struct stat info {};
        if (!is_blob_hash(hash) || ::stat(path.c_str(), &info) != 0) continue;
        BlobUse& blob = blobs[hash];
        blob.hash = hash;
        if (rest != unpacked) blob.size += static_cast<Bytes>(info.st_size);
        // Count the archive's size a second time for its unpacked files, because measuring possibly millions of files
        // takes long.
        else if (struct stat archive{}; ::stat((folder_ / hash).c_str(), &archive) == 0)
            blob.size += static_cast<Bytes>(archive.st_size);
        if (rest.empty() || rest == begun || rest.starts_with(begun_beside) || rest.starts_with(part_of))
            blob.used = std::max(blob.used, TimePoint(std::chrono::seconds(info.st_mtim.tv_sec) +
                                                      std::chrono::nanoseconds(info.st_mtim.tv_nsec)));
    }
    std::vector<BlobUse> all;
    for (auto& [hash, blob] : blobs) all.push_back(std::move(blob));
    return all;
}

void BlobStore::touch(const std::string& hash) const {
    if (is_blob_hash(hash)) ::utimensat(AT_FDCWD, (folder_ / hash).c_str(), nullptr, 0);
}

Result<void> BlobStore::remove(const std::string& hash) {
    if (!is_blob_hash(hash)) return no_hash(hash, folder_);
    ::unlink((folder_ / hash).c_str());
    for (const char* of : {begun, pieces}) ::unlink((folder_ / (hash + of)).c_str());
    std::error_code code;
    fs::remove_all(folder_ / (hash + unpacked), code);
    // A process that was killed while it unpacked the folder may have left files under a temporary name.
    const std::string half = hash + unpacked + ".", part = hash + part_of, beside = hash + begun_beside;
    for (const fs::path& path : file::list_folder(folder_, code)) {
        const std::string name = path.filename().string();
        if (name.starts_with(half) || name.starts_with(part) || name.starts_with(beside)) fs::remove_all(path, code);
    }
    return {};
}

Bytes BlobStore::used() const {
    Bytes sum = 0;
    std::error_code code;
    for (const fs::path& path : file::list_folder(folder_, code))
        if (struct stat info{};
            path.extension() != pieces && ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode))
            sum += static_cast<Bytes>(info.st_size);
    return sum;
}

}  // namespace divisi::store
