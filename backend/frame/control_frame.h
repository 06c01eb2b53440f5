// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "backend/base/result.h"

namespace divisi::frame {

/// Size limit of a control frame in bytes. Most messages fit in one frame; their type decides which may be longer.
inline constexpr std::size_t control_frame_limit = 64u << 10;

/// The header of each frame of a control message. A message longer than control_frame_limit is sent as several frames:
/// in order, on the same connection, and with no other frame between them.
struct ControlHeader {
    std::uint64_t correlation = 0;
    std::uint16_t type = 0;    ///< number of the message's type
    std::uint32_t size = 0;    ///< size of the whole message in bytes
    std::uint32_t offset = 0;  ///< position of this frame's bytes in the message
    bool operator==(const ControlHeader&) const = default;
};
inline constexpr std::size_t control_header_bytes = 18;

/// Encodes the fields in their order, little-endian.
std::string encode_control_header(const ControlHeader& header);
/// Decodes a header. Fails with `corrupt` if the length is wrong.
Result<ControlHeader> decode_control_header(std::span<const std::byte> bytes);

/// Reassembles the messages of one connection from their frames. Holds at most one message, and only the bytes that
/// have arrived, not the announced size.
class ControlAssembler {
public:
    /// Returns the largest size in bytes of a message of this type; 0 for an unknown type.
    using SizeLimit = std::size_t (*)(std::uint16_t type);
    explicit ControlAssembler(SizeLimit limit) : limit_(limit) {}

    /// Returns the whole message when its last frame arrives; before that, nothing. Fails with `unsupported` for a type
    /// that this version does not know. Fails with `exhausted` for a size above the type's limit; no part of such a
    /// message is stored. Fails with `corrupt` for a frame that does not continue the current message, is empty before
    /// the end, or exceeds the message. After `corrupt` the connection is unusable.
    Result<std::optional<std::string>> add(const ControlHeader& header, std::span<const std::byte> bytes);
    /// Returns how many bytes of the current message have arrived.
    std::size_t held() const { return held_.size(); }

private:
    SizeLimit limit_;
    ControlHeader first_;
    std::string held_;
};

}  // namespace divisi::frame
