// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "backend/base/blob.h"
#include "backend/base/result.h"

namespace divisi::wire {

/// What is asked of a blob server. The numbers travel on the wire; append only.
enum class BlobVerb : std::uint8_t {
    describe = 1,  ///< answered with the manifest
    begin = 2,     ///< payload: the pieces' checksums; answered with a bitmap of the missing ones
    put = 3,       ///< payload: a piece
    finish = 4,    ///< all pieces are there
    get = 5,       ///< answered with a piece
    select = 6,    ///< payload: names of values; answered with the hash of a blob that has their tensors alone
};

/// A question or its answer; the payload is a frame of its own.
struct BlobMessage {
    BlobVerb verb = BlobVerb::describe;
    bool answer = false;
    std::uint8_t status = 0;  ///< answers: 0, or 1 + ErrorCode with the Error as payload
    std::uint64_t correlation = 0;
    std::string hash;  ///< hexadecimal, 64 characters
    Bytes size = 0;    ///< of the whole blob
    std::uint32_t index = 0;
    bool operator==(const BlobMessage&) const = default;
};
inline constexpr std::size_t blob_header_bytes = 64;

/// `invalid_input` for a hash that is none.
Result<std::string> encode_blob(const BlobMessage& message);
Result<BlobMessage> decode_blob(std::span<const std::byte> bytes);

/// A blob's hash as 32 bytes.
Result<std::string> encode_hash(const std::string& hash);
Result<std::string> decode_hash(std::span<const std::byte> bytes);

/// The checksums of a blob's pieces (BlobManifest::chunks) as 4 bytes each.
std::string encode_chunks(const std::vector<std::uint32_t>& chunks);
Result<std::vector<std::uint32_t>> decode_chunks(std::span<const std::byte> bytes);

/// Names of values, each behind its length.
std::string encode_names(const std::vector<std::string>& names);
/// `corrupt` where the lengths do not fit the bytes, and for more than control::most_selected_values.
Result<std::vector<std::string>> decode_names(std::span<const std::byte> bytes);

std::string encode_bitmap(const std::vector<std::uint32_t>& indices, std::size_t count);
/// `corrupt` when the length does not fit `count`.
Result<std::vector<std::uint32_t>> decode_bitmap(std::span<const std::byte> bytes, std::size_t count);

/// An error as text of bounded length.
std::string encode_error(const Error& error);
Error decode_error(std::uint8_t status, std::span<const std::byte> bytes);

}  // namespace divisi::wire
