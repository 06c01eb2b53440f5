// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/units.h"

namespace divisi {

/// Size of the pieces in which blobs are sent and checked; the last piece may be shorter.
inline constexpr Bytes blob_chunk_bytes = 1 << 20;
/// Size limit of a blob in bytes. The checksums of such a blob's pieces occupy 128 KiB of a message.
inline constexpr Bytes blob_limit = 32LL << 30;

/// Describes a model, data or checkpoint file by its content. Hashes are BLAKE2b-256 in hexadecimal.
struct BlobManifest {
    std::string hash;  ///< hash of the whole file
    Bytes size = 0;
    std::vector<std::uint32_t> chunks;  ///< CRC-32C of each piece, in order; empty for an empty file
    bool operator==(const BlobManifest&) const = default;
};

}  // namespace divisi
