// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "backend/base/blob.h"
#include "backend/base/result.h"

namespace divisi::wire {

/// The request to a blob server. The numbers are part of the wire format; append only.
enum class BlobVerb : std::uint8_t {
    describe = 1,  ///< asks for the manifest
    begin = 2,     ///< sends the checksums of the pieces; answered with a bitmap of the missing ones
    put = 3,       ///< sends a piece
    finish = 4,    ///< says that all pieces have been sent
    get = 5,       ///< asks for a piece
    select = 6,    ///< sends names of values; answered with the hash of a blob of their tensors
};

/// A request or its answer; the payload is a separate frame.
struct BlobMessage {
    BlobVerb verb = BlobVerb::describe;
    bool answer = false;
    std::uint8_t status = 0;  ///< in answers: 0, or 1 + ErrorCode with the Error as payload
    std::uint64_t correlation = 0;
    std::string hash;  ///< hexadecimal, 64 characters
    Bytes size = 0;    ///< size of the whole blob
    std::uint32_t index = 0;
    bool operator==(const BlobMessage&) const = default;
};
inline constexpr std::size_t blob_header_bytes = 64;

/// Encode and decode a message; encoding fails with `invalid_input` for an invalid hash.
Result<std::string> encode_blob(const BlobMessage& message);
Result<BlobMessage> decode_blob(std::span<const std::byte> bytes);

/// Convert a blob's hash to and from 32 bytes.
Result<std::string> encode_hash(const std::string& hash);
Result<std::string> decode_hash(std::span<const std::byte> bytes);

/// Convert the checksums of a blob's pieces (BlobManifest::chunks) to and from 4 bytes each.
std::string encode_chunks(const std::vector<std::uint32_t>& chunks);
Result<std::vector<std::uint32_t>> decode_chunks(std::span<const std::byte> bytes);

/// Encodes names of values, each preceded by its length.
std::string encode_names(const std::vector<std::string>& names);
/// Decodes names. Fails with `corrupt` if the lengths do not match the bytes, or for more than
/// control::most_selected_values names.
Result<std::vector<std::string>> decode_names(std::span<const std::byte> bytes);

std::string encode_bitmap(const std::vector<std::uint32_t>& indices, std::size_t count);
/// Decodes a bitmap; fails with `corrupt` if its length does not match `count`.
Result<std::vector<std::uint32_t>> decode_bitmap(std::span<const std::byte> bytes, std::size_t count);

/// Convert an error to and from text of bounded length.
std::string encode_error(const Error& error);
Error decode_error(std::uint8_t status, std::span<const std::byte> bytes);

}  // namespace divisi::wire
