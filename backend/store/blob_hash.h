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

// What blobs and versions are named by: BLAKE2b-256, in hexadecimal.

std::string blob_hash(std::span<const std::byte> bytes);

/// The same of bytes that come in parts.
class BlobHasher {
public:
    BlobHasher();
    void add(std::span<const std::byte> bytes);
    std::string hex() const;  ///< of what was added so far

private:
    alignas(64) std::array<std::byte, 384> state_;  ///< libsodium's, whose header stays in the .cpp file
};

/// The same of a file, read once.
Result<std::string> file_hash(const std::filesystem::path& file);
/// Reads a file once: its hash, and the checksums of its pieces. `exhausted` above blob_limit.
Result<BlobManifest> describe_file(const std::filesystem::path& file);

/// 64 hexadecimal digits and nothing else, so that it names no path outside a folder.
bool is_blob_hash(const std::string& text);

/// Calls `take(index, bytes)` for every piece of an open file, or those from the index `first`; `path` is for messages.
using TakePiece = std::function<Result<void>(std::size_t index, std::span<const std::byte> bytes)>;
Result<void> for_each_piece(int fd, const std::filesystem::path& path, const TakePiece& take, std::size_t first = 0);

}  // namespace divisi::store
