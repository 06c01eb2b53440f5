// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "backend/base/result.h"

namespace divisi::frame {

/// Most messages fit in one control frame; what may be longer is known by its type.
inline constexpr std::size_t control_frame_limit = 64u << 10;

/// What stands before each frame of a control message. A message longer than control_frame_limit travels as
/// several frames, in order and with nothing else between them on the same connection.
struct ControlHeader {
    std::uint64_t correlation = 0;
    std::uint16_t type = 0;    ///< number of the message in its list
    std::uint32_t size = 0;    ///< bytes of the whole message
    std::uint32_t offset = 0;  ///< of this frame's bytes in it
    bool operator==(const ControlHeader&) const = default;
};
inline constexpr std::size_t control_header_bytes = 18;

/// Little-endian, in the order of the fields.
std::string encode_control_header(const ControlHeader& header);
/// `corrupt` for another length.
Result<ControlHeader> decode_control_header(std::span<const std::byte> bytes);

/// Puts the frames of one connection together. Holds at most one message, of what has arrived, not of what was
/// announced.
class ControlAssembler {
public:
    /// Bytes that a message of this type may have; 0 for an unknown type.
    using SizeLimit = std::size_t (*)(std::uint16_t type);
    explicit ControlAssembler(SizeLimit limit) : limit_(limit) {}

    /// The whole message with the last of its frames; none before. `unsupported` for a type this version does not
    /// know, `exhausted` for a size above the type's limit: nothing is stored of what could never be parsed.
    /// `corrupt` for a frame that does not continue the message under way, is empty before the end or goes beyond
    /// it: the connection is of no use then.
    Result<std::optional<std::string>> add(const ControlHeader& header, std::span<const std::byte> bytes);
    /// Bytes of the message under way.
    std::size_t held() const { return held_.size(); }

private:
    SizeLimit limit_;
    ControlHeader first_;
    std::string held_;
};

}  // namespace divisi::frame
