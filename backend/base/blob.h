// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/units.h"

namespace divisi {

/// Blobs travel and are checked in pieces of this size; the last may be shorter.
inline constexpr Bytes blob_chunk_bytes = 1 << 20;
/// The checksums of a blob of this size take 128 KiB of a message.
inline constexpr Bytes blob_limit = 32LL << 30;

/// A file by its content: models, data and checkpoints. Hashes are BLAKE2b-256, hexadecimal.
struct BlobManifest {
    std::string hash;  ///< of the whole file
    Bytes size = 0;
    std::vector<std::uint32_t> chunks;  ///< CRC-32C of each piece, in order; none for an empty file
    bool operator==(const BlobManifest&) const = default;
};

}  // namespace divisi
