// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "backend/base/blob.h"
#include "backend/base/result.h"

namespace divisi::store {

// Returns the BLAKE2b-256 hash in hexadecimal, which names blobs and versions.

std::string blob_hash(std::span<const std::byte> bytes);

/// Computes a blob_hash() from bytes that arrive in parts.
class BlobHasher {
public:
    BlobHasher();
    void add(std::span<const std::byte> bytes);
    std::string hex() const;  ///< hash of the bytes added so far

private:
    alignas(64) std::array<std::byte, 384> state_;  ///< libsodium's state, whose header stays in the .cpp file
};

/// Returns the blob_hash() of a file, which is read once.
Result<std::string> file_hash(const std::filesystem::path& file);
/// Reads a file once; returns its hash and the checksums of its pieces. Fails with `exhausted` above blob_limit.
Result<BlobManifest> describe_file(const std::filesystem::path& file);

/// Returns whether the text is exactly 64 lower-case hexadecimal digits, so it cannot name a path outside a folder.
bool is_blob_hash(const std::string& text);

/// Calls `take(index, bytes)` for every piece of an open file, from the piece `first` on; error messages name `path`.
using TakePiece = std::function<Result<void>(std::size_t index, std::span<const std::byte> bytes)>;
Result<void> for_each_piece(int fd, const std::filesystem::path& path, const TakePiece& take, std::size_t first = 0);

}  // namespace divisi::store
