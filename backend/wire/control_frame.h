// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "backend/base/result.h"
#include "backend/wire/message_codec.h"

namespace divisi::wire {

/// What stands before each frame of a control message. A message longer than control_frame_limit travels as
/// several frames, in order and with nothing else between them on the same connection.
struct ControlHeader {
    std::uint64_t correlation = 0;
    MessageType type = 0;
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
    /// The whole message with the last of its frames; none before. `unsupported` for a type this version does not
    /// know, `exhausted` for a size above the type's limit: nothing is stored of what could never be parsed.
    /// `corrupt` for a frame that does not continue the message under way, is empty before the end or goes beyond
    /// it: the connection is of no use then.
    Result<std::optional<std::string>> add(const ControlHeader& header, std::span<const std::byte> bytes);
    /// Bytes of the message under way.
    std::size_t held() const { return held_.size(); }

private:
    ControlHeader first_;
    std::string held_;
};

}  // namespace divisi::wire
