// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace divisi::task {

/// A port on a loopback address, which no other machine reaches.
struct Loopback {
    std::string host;  ///< 127.x.y.z, ::1 or localhost
    int port = 0;      ///< 0: the system chooses one
};

/// Parses "127.0.0.1:9464", "[::1]:9464" or "localhost:9464". Empty for anything else.
std::optional<Loopback> parse_loopback(std::string_view text);

}  // namespace divisi::task
