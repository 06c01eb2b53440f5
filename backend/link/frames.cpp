// SPDX-License-Identifier: Apache-2.0
#include "backend/link/frames.h"

#include <zmq.h>

#include <cerrno>

namespace divisi::link {
namespace {
constexpr std::size_t most_frames = 8;
}

std::optional<Received> receive_message(void* socket) {
    while (true) {
        Received received;
        bool too_many = false;
        int more = 1;
        while (more) {
            zmq_msg_t message;
            zmq_msg_init(&message);
            if (zmq_msg_recv(&message, socket, ZMQ_DONTWAIT) < 0) {
                zmq_msg_close(&message);
                if (zmq_errno() == EINTR) continue;
                return std::nullopt;
            }
            if (received.frames.size() < most_frames)
                received.frames.emplace_back(static_cast<char*>(zmq_msg_data(&message)), zmq_msg_size(&message));
            else too_many = true;
            if (const char* user = zmq_msg_gets(&message, "User-Id")) received.user = user;
            more = zmq_msg_more(&message);
            zmq_msg_close(&message);
        }
        if (!too_many) return received;
    }
}

int send_message(void* socket, const std::vector<std::string_view>& frames) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const int flags = ZMQ_DONTWAIT | (i + 1 < frames.size() ? ZMQ_SNDMORE : 0);
        while (zmq_send(socket, frames[i].data(), frames[i].size(), flags) < 0)
            if (zmq_errno() != EINTR) return zmq_errno();
    }
    return 0;
}

std::string encode_number(std::uint64_t value) {
    std::string bytes(8, '\0');
    for (int i = 0; i < 8; ++i) bytes[static_cast<std::size_t>(i)] = static_cast<char>(value >> (8 * i));
    return bytes;
}

std::optional<std::uint64_t> decode_number(std::string_view bytes) {
    if (bytes.size() != 8) return std::nullopt;
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i)
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)])) << (8 * i);
    return value;
}

}  // namespace divisi::link
