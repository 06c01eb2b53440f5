// SPDX-License-Identifier: Apache-2.0
#include "backend/store/blob_store.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "backend/store/folder_archive.h"

namespace divisi::store {
namespace {

namespace fs = std::filesystem;
using Digest = std::array<unsigned char, crypto_generichash_BYTES>;
static_assert(crypto_generichash_BYTES == 32, "BLAKE2b-256");

/// Behind the hash of an archive: the folder that it holds.
constexpr const char* unpacked = ".folder";

Error io_error(const std::string& what, const fs::path& path) {
    const int reason = errno;
    const bool full = reason == ENOSPC || reason == EDQUOT || reason == EFBIG;
    return {full                                  ? ErrorCode::exhausted
            : reason == ENOENT                    ? ErrorCode::not_found
            : reason == EACCES || reason == EPERM ? ErrorCode::denied
                                                  : ErrorCode::failed,
            what + ": " + std::strerror(reason), path.string(),
            full ? "free some space there, or choose another folder; nothing was half-written"
                 : "check the path and the disk"};
}

/// Also what keeps a hash from naming a path outside the folder.
bool is_hash(const std::string& text) {
    return text.size() == 64 &&
           std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

struct Fd {
    int value = -1;
    ~Fd() {
        if (value >= 0) ::close(value);
    }
};

Bytes chunk_size(const BlobManifest& manifest, std::size_t index) {
    return std::min(blob_chunk_bytes, manifest.size - static_cast<Bytes>(index) * blob_chunk_bytes);
}

/// Reads up to buffer.size() bytes at `offset`; fewer only at the end of the file.
Result<std::size_t> read_at(int fd, std::span<std::byte> buffer, Bytes offset, const fs::path& path) {
    std::size_t done = 0;
    while (done < buffer.size()) {
        const ssize_t n = ::pread(fd, buffer.data() + done, buffer.size() - done, offset + static_cast<off_t>(done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return io_error("cannot read", path);
        if (n == 0) break;
        done += static_cast<std::size_t>(n);
    }
    return done;
}

/// Calls `chunk(index, bytes)` for every piece of an open file.
template <typename Chunk>
Result<void> for_each_chunk(int fd, const fs::path& path, Chunk&& chunk) {
    std::vector<std::byte> buffer(static_cast<std::size_t>(blob_chunk_bytes));
    for (std::size_t index = 0;; ++index) {
        DIVISI_ASSIGN(const std::size_t n, read_at(fd, buffer, static_cast<Bytes>(index) * blob_chunk_bytes, path));
        if (n == 0) return {};
        DIVISI_TRY(chunk(index, std::span<const std::byte>(buffer).first(n)));
    }
}

Result<void> check(const BlobManifest& m) {
    const auto chunks = static_cast<std::size_t>((m.size + blob_chunk_bytes - 1) / blob_chunk_bytes);
    if (!is_hash(m.hash) || m.size < 0 || m.size > blob_limit || m.chunks.size() != chunks ||
        !std::ranges::all_of(m.chunks, is_hash))
        return Error{ErrorCode::invalid_input, "the description of a blob is inconsistent", m.hash,
                     "describe the file again"};
    return {};
}

void sync_folder(const fs::path& folder) {
    const Fd fd{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (fd.value >= 0) ::fsync(fd.value);
}

/// One call for the many files of a folder.
void sync_all(const fs::path& folder) {
    const Fd fd{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (fd.value >= 0) ::syncfs(fd.value);
}

}  // namespace

BlobHasher::BlobHasher() {
    static_assert(sizeof(crypto_generichash_state) <= sizeof(state_) && alignof(crypto_generichash_state) <= 64);
    crypto_generichash_init(reinterpret_cast<crypto_generichash_state*>(state_.data()), nullptr, 0,
                            crypto_generichash_BYTES);
}
void BlobHasher::add(std::span<const std::byte> bytes) {
    crypto_generichash_update(reinterpret_cast<crypto_generichash_state*>(state_.data()),
                              reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}
std::string BlobHasher::hex() {
    Digest digest;
    crypto_generichash_final(reinterpret_cast<crypto_generichash_state*>(state_.data()), digest.data(), digest.size());
    std::array<char, 2 * crypto_generichash_BYTES + 1> text;
    return sodium_bin2hex(text.data(), text.size(), digest.data(), digest.size());
}

std::string blob_hash(std::span<const std::byte> bytes) {
    BlobHasher hasher;
    hasher.add(bytes);
    return hasher.hex();
}

Result<BlobManifest> describe_file(const fs::path& file) {
    const Fd fd{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    if (fd.value < 0) return io_error("cannot open", file);
    struct stat info {};
    if (fstat(fd.value, &info) != 0) return io_error("cannot stat", file);
    if (!S_ISREG(info.st_mode)) return Error{ErrorCode::invalid_input, "not a file", file.string(), "give a file"};
    if (info.st_size > blob_limit)
        return Error{ErrorCode::exhausted, "the file is larger than " + format_bytes(blob_limit), file.string(),
                     "place it on the nodes and name it as node:/path"};
    BlobManifest manifest;
    BlobHasher whole;
    DIVISI_TRY(for_each_chunk(fd.value, file, [&](std::size_t, std::span<const std::byte> bytes) -> Result<void> {
        whole.add(bytes);
        manifest.chunks.push_back(blob_hash(bytes));
        manifest.size += static_cast<Bytes>(bytes.size());
        return {};
    }));
    manifest.hash = whole.hex();
    return manifest;
}

// --- BlobWriter ----------------------------------------------------------------------------------

BlobWriter::~BlobWriter() {
    if (fd_ >= 0) ::close(fd_);
}
BlobWriter::BlobWriter(BlobWriter&& other) noexcept
    : manifest_(std::move(other.manifest_)),
      part_(std::move(other.part_)),
      final_(std::move(other.final_)),
      present_(std::move(other.present_)),
      fd_(std::exchange(other.fd_, -1)) {}
BlobWriter& BlobWriter::operator=(BlobWriter&& other) noexcept {
    if (this == &other) return *this;
    if (fd_ >= 0) ::close(fd_);
    manifest_ = std::move(other.manifest_);
    part_ = std::move(other.part_);
    final_ = std::move(other.final_);
    present_ = std::move(other.present_);
    fd_ = std::exchange(other.fd_, -1);
    return *this;
}

std::vector<std::uint32_t> BlobWriter::missing() const {
    std::vector<std::uint32_t> indices;
    for (std::size_t i = 0; i < present_.size(); ++i)
        if (!present_[i]) indices.push_back(static_cast<std::uint32_t>(i));
    return indices;
}

Result<void> BlobWriter::put(std::uint32_t index, std::span<const std::byte> bytes) {
    if (index >= present_.size())
        return Error{ErrorCode::invalid_input, "no piece " + std::to_string(index), manifest_.hash,
                     "describe the file again"};
    if (present_[index]) return {};
    if (static_cast<Bytes>(bytes.size()) != chunk_size(manifest_, index) || blob_hash(bytes) != manifest_.chunks[index])
        return Error{ErrorCode::corrupt, "piece " + std::to_string(index) + " is not what was described",
                     manifest_.hash, "send it again; if this lasts the file has changed and must be described again"};
    std::size_t done = 0;
    while (done < bytes.size()) {
        const off_t offset = static_cast<off_t>(index) * blob_chunk_bytes + static_cast<off_t>(done);
        const ssize_t n = ::pwrite(fd_, bytes.data() + done, bytes.size() - done, offset);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return io_error("cannot write a blob", part_.parent_path());
        done += static_cast<std::size_t>(n);
    }
    present_[index] = true;
    return {};
}

Result<fs::path> BlobWriter::finish() {
    if (fd_ < 0) return final_;  // it was whole from the beginning
    if (const auto open = missing(); !open.empty())
        return Error{ErrorCode::conflict, std::to_string(open.size()) + " pieces are missing", manifest_.hash,
                     "send them first"};
    BlobHasher whole;
    DIVISI_TRY(for_each_chunk(fd_, part_, [&](std::size_t, std::span<const std::byte> bytes) -> Result<void> {
        whole.add(bytes);
        return {};
    }));
    if (whole.hex() != manifest_.hash) {
        // Every piece was right, so the description itself was wrong; nothing of it can be of use.
        ::unlink(part_.c_str());
        return Error{ErrorCode::corrupt, "the pieces do not give the file", manifest_.hash, "describe the file again"};
    }
    if (::fsync(fd_) != 0) return io_error("cannot write a blob", part_.parent_path());
    if (::rename(part_.c_str(), final_.c_str()) != 0) return io_error("cannot move a blob into place", final_);
    sync_folder(final_.parent_path());
    ::close(std::exchange(fd_, -1));
    return final_;
}

// --- BlobStore -----------------------------------------------------------------------------------

Result<BlobStore> BlobStore::open(const fs::path& folder, Bytes capacity) {
    std::error_code code;
    fs::create_directories(folder, code);
    if (!fs::is_directory(folder, code))
        return Error{ErrorCode::denied, "cannot make the blob folder", folder.string(), "choose another data folder"};
    ::chmod(folder.c_str(), 0700);
    return BlobStore(folder, capacity);
}

bool BlobStore::has(const std::string& hash) const { return path_of(hash).ok(); }

Result<fs::path> BlobStore::path_of(const std::string& hash) const {
    if (!is_hash(hash)) return Error{ErrorCode::invalid_input, "not a blob's hash: " + hash, folder_.string(), ""};
    std::error_code code;
    const fs::path path = folder_ / hash;
    if (!fs::is_regular_file(path, code))
        return Error{ErrorCode::not_found, "no blob " + hash, folder_.string(), "upload it first"};
    return path;
}

Result<BlobWriter> BlobStore::begin(const BlobManifest& manifest) {
    DIVISI_TRY(check(manifest));
    BlobWriter writer;
    writer.manifest_ = manifest;
    writer.final_ = folder_ / manifest.hash;
    writer.part_ = folder_ / (manifest.hash + ".part");
    writer.present_.assign(manifest.chunks.size(), true);
    if (has(manifest.hash)) return writer;

    std::error_code code;
    const bool resumed = fs::exists(writer.part_, code);
    if (capacity_ > 0 && !resumed && used() + manifest.size > capacity_)
        return Error{ErrorCode::exhausted, "the blob store is full (" + format_bytes(capacity_) + ")", folder_.string(),
                     "remove old versions or give it more room"};
    writer.fd_ = ::open(writer.part_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (writer.fd_ < 0) return io_error("cannot write a blob", folder_);
    // Reserved now, so that a full disk is known before the first piece travels.
    if (const int reason = manifest.size == 0 ? 0 : ::posix_fallocate(writer.fd_, 0, manifest.size); reason != 0) {
        errno = reason;
        Error error = io_error("no room for a blob of " + format_bytes(manifest.size), folder_);
        if (!resumed) ::unlink(writer.part_.c_str());
        return error;
    }
    if (::ftruncate(writer.fd_, manifest.size) != 0) return io_error("cannot write a blob", folder_);
    writer.present_.assign(manifest.chunks.size(), false);
    if (!resumed) return writer;
    DIVISI_TRY(
        for_each_chunk(writer.fd_, writer.part_, [&](std::size_t i, std::span<const std::byte> bytes) -> Result<void> {
            writer.present_[i] = blob_hash(bytes) == manifest.chunks[i];
            return {};
        }));
    return writer;
}

Result<fs::path> BlobStore::import(const fs::path& file) {
    DIVISI_ASSIGN(const BlobManifest manifest, describe_file(file));
    DIVISI_ASSIGN(BlobWriter writer, begin(manifest));
    const Fd fd{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    if (fd.value < 0) return io_error("cannot open", file);
    DIVISI_TRY(for_each_chunk(fd.value, file, [&](std::size_t index, std::span<const std::byte> bytes) {
        return writer.put(static_cast<std::uint32_t>(index), bytes);
    }));
    return writer.finish();
}

Result<std::string> BlobStore::adopt(const fs::path& file) {
    DIVISI_ASSIGN(const BlobManifest manifest, describe_file(file));
    const fs::path path = folder_ / manifest.hash;
    if (::link(file.c_str(), path.c_str()) == 0) sync_folder(folder_);
    else if (errno != EEXIST) return io_error("cannot keep the file as a blob", path);
    return manifest.hash;
}

Result<fs::path> BlobStore::folder_of(const std::string& hash) {
    DIVISI_ASSIGN(const fs::path archive, path_of(hash));
    const fs::path folder = folder_ / (hash + unpacked);
    std::error_code code;
    if (fs::is_directory(folder, code)) return folder;
    std::string temporary = folder.string() + ".XXXXXX";
    if (::mkdtemp(temporary.data()) == nullptr) return io_error("cannot make a folder", folder_);
    auto done = unpack_archive(archive, fs::path(temporary) / "0");
    if (done.ok()) sync_all(folder_);  // files in a folder of this name are whole, also after a power cut
    // Whoever comes second finds the folder there, which is the same.
    if (done.ok() && ::rename((temporary + "/0").c_str(), folder.c_str()) != 0 && !fs::is_directory(folder, code))
        done = io_error("cannot move a folder into place", folder);
    fs::remove_all(temporary, code);
    if (!done.ok()) return std::move(done).error();
    return folder;
}

void BlobStore::clean_up() {
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder_, code))
        if (entry.path().filename().string().find(std::string(unpacked) + ".") != std::string::npos)
            fs::remove_all(entry.path(), code);
}

Result<void> BlobStore::remove(const std::string& hash) {
    if (!is_hash(hash)) return Error{ErrorCode::invalid_input, "not a blob's hash: " + hash, folder_.string(), ""};
    ::unlink((folder_ / hash).c_str());
    ::unlink((folder_ / (hash + ".part")).c_str());
    std::error_code code;
    fs::remove_all(folder_ / (hash + unpacked), code);
    return {};
}

Bytes BlobStore::used() const {
    Bytes sum = 0;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder_, code))
        if (entry.is_regular_file(code)) sum += static_cast<Bytes>(entry.file_size(code));
    return sum;
}

}  // namespace divisi::store
