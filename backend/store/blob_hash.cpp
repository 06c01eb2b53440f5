// SPDX-License-Identifier: Apache-2.0
#include "backend/store/blob_hash.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "backend/file/descriptor.h"
#include "backend/file/system_error.h"
#include "backend/frame/crc32c.h"
#include "backend/store/error_texts.h"

namespace divisi::store {
namespace {

using file::Descriptor;
using file::system_error;
using Digest = std::array<unsigned char, crypto_generichash_BYTES>;
static_assert(crypto_generichash_BYTES == 32, "BLAKE2b-256");

/// Reads up to buffer.size() bytes at `offset`; fewer only at the end of the file.
Result<std::size_t> read_at(int fd, std::span<std::byte> buffer, Bytes offset, const std::filesystem::path& path) {
    std::size_t done = 0;
    while (done < buffer.size()) {
        const ssize_t n = ::pread(fd, buffer.data() + done, buffer.size() - done, offset + static_cast<off_t>(done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return system_error("read", path);
        if (n == 0) break;
        done += static_cast<std::size_t>(n);
    }
    return done;
}

Result<Descriptor> open_regular(const std::filesystem::path& file, Bytes& size) {
    // O_NONBLOCK, because opening a pipe would otherwise wait for its writer
    Descriptor fd(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    struct stat info {};
    if (!fd.is_open() || ::fstat(fd.get(), &info) != 0) return system_error("open", file);
    if (!S_ISREG(info.st_mode)) return make_error(error_text("no-regular-file"), file.string());
    size = info.st_size;
    return fd;
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
std::string BlobHasher::hex() const {
    BlobHasher ended = *this;  // a finished hasher accepts no more bytes, so finish a copy
    Digest digest;
    crypto_generichash_final(reinterpret_cast<crypto_generichash_state*>(ended.state_.data()), digest.data(),
                             digest.size());
    std::array<char, 2 * crypto_generichash_BYTES + 1> text;
    return sodium_bin2hex(text.data(), text.size(), digest.data(), digest.size());
}

std::string blob_hash(std::span<const std::byte> bytes) {
    BlobHasher hasher;
    hasher.add(bytes);
    return hasher.hex();
}

bool is_blob_hash(const std::string& text) {
    return text.size() == 2 * crypto_generichash_BYTES &&
           std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

Result<void> for_each_piece(int fd, const std::filesystem::path& path, const TakePiece& take, std::size_t first) {
    std::vector<std::byte> buffer(static_cast<std::size_t>(blob_chunk_bytes));
    for (std::size_t index = first;; ++index) {
        DIVISI_ASSIGN(const std::size_t n, read_at(fd, buffer, static_cast<Bytes>(index) * blob_chunk_bytes, path));
        if (n == 0) return {};
        DIVISI_TRY(take(index, std::span<const std::byte>(buffer).first(n)));
    }
}

Result<std::string> file_hash(const std::filesystem::path& file) {
    Bytes size = 0;
    DIVISI_ASSIGN(const Descriptor fd, open_regular(file, size));
    BlobHasher whole;
    DIVISI_TRY(for_each_piece(fd.get(), file, [&](std::size_t, std::span<const std::byte> bytes) -> Result<void> {
        whole.add(bytes);
        return {};
    }));
    return whole.hex();
}

Result<BlobManifest> describe_file(const std::filesystem::path& file) {
    Bytes size = 0;
    DIVISI_ASSIGN(const Descriptor fd, open_regular(file, size));
    if (size > blob_limit)
        return make_error(error_text("file-too-large-for-blob"), file.string(), {format_bytes(blob_limit)});
    BlobManifest manifest;
    BlobHasher whole;
    DIVISI_TRY(for_each_piece(fd.get(), file, [&](std::size_t, std::span<const std::byte> bytes) -> Result<void> {
        whole.add(bytes);
        manifest.chunks.push_back(frame::crc32c(bytes));
        manifest.size += static_cast<Bytes>(bytes.size());
        return {};
    }));
    manifest.hash = whole.hex();
    return manifest;
}

}  // namespace divisi::store
