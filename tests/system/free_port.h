// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace divisi::tests {

/// Returns a TCP port on loopback that was free a moment ago, and whose next port was free too. A gateway or router
/// uses the pair for data and lane.
inline int free_port_pair() {
    const auto bound = [](int fd, int port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<in_port_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        auto* generic = reinterpret_cast<sockaddr*>(&address);
        socklen_t size = sizeof address;
        const bool ok = ::bind(fd, generic, size) == 0 && ::getsockname(fd, generic, &size) == 0;
        return ok ? static_cast<int>(ntohs(address.sin_port)) : 0;
    };
    for (int found = 0;;) {
        const std::array sockets{::socket(AF_INET, SOCK_STREAM, 0), ::socket(AF_INET, SOCK_STREAM, 0)};
        const int first = bound(sockets[0], 0);
        if (first > 0 && first < 65'535 && bound(sockets[1], first + 1) > 0) found = first;
        for (const int fd : sockets) ::close(fd);
        if (found > 0) return found;
    }
}

}  // namespace divisi::tests
