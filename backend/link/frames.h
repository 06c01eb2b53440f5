// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace divisi::link {

/// Frames of one message, received whole; `user` is the ZAP User-Id. None when nothing waits.
struct Received {
    std::vector<std::string> frames;
    std::string user;
};
/// More frames than any of our messages has are dropped with the message.
std::optional<Received> receive_message(void* socket);

/// Sends frames without blocking; 0, or the ZeroMQ error (EAGAIN: queue full, EHOSTUNREACH: peer gone).
int send_message(void* socket, const std::vector<std::string_view>& frames);

std::string encode_number(std::uint64_t value);  ///< 8 bytes, little-endian
std::optional<std::uint64_t> decode_number(std::string_view bytes);

}  // namespace divisi::link
