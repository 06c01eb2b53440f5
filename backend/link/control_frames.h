// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "backend/frame/control_frame.h"
#include "backend/link/transport.h"

namespace divisi::link {

/// Sends a message as frames through `send`; each has a header and at most control_frame_limit bytes. Stops at the
/// first frame that is not accepted. The message is then lost, so the caller must end the connection.
template <typename Send>
Sent send_frames(std::uint64_t correlation, std::uint16_t type, std::string payload, Send send) {
    const auto whole = std::make_shared<const std::string>(std::move(payload));
    const auto bytes = std::as_bytes(std::span(*whole));
    std::size_t offset = 0;
    do {
        const auto piece = bytes.subspan(offset, std::min(frame::control_frame_limit, bytes.size() - offset));
        const frame::ControlHeader header{correlation, type, static_cast<std::uint32_t>(bytes.size()),
                                          static_cast<std::uint32_t>(offset)};
        const Sent sent = send(Parts{Part::of(frame::encode_control_header(header)), Part{whole, piece}});
        if (sent != Sent::yes) return sent;
        offset += piece.size();
    } while (offset < bytes.size());
    return Sent::yes;
}

}  // namespace divisi::link
