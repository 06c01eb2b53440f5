// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/mesh/base/device.h"

namespace divisi::router {

/// Argument with which a device starts its own program as its guard.
inline constexpr const char* guard_argument = "--srv6-guard";
/// Descriptor of the guard's end of the socket (SOCK_SEQPACKET). The device sends the wanted state in the form of
/// to_text(Steering). The guard answers each message with guard_ready or with an error. The guard also sends an answer
/// after its initial checks, without a request.
inline constexpr int guard_fd = 4;
inline constexpr const char* guard_ready = "ready";
/// Size limit of a message in either direction.
inline constexpr std::size_t most_guard_bytes = 128u << 10;

/// Runs the process that changes the host's kernel settings for a device. It reverts the changes when the device ends
/// for any reason, because the socket to the device then closes. If the guard is killed, the next guard reverts the
/// changes: routes have a mark, and a router's settings are in a file below `folder`. Returns the exit status.
int guard(mesh::DeviceRole role, const std::string& folder);

}  // namespace divisi::router
