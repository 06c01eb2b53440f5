// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/mesh/base/device.h"

namespace divisi::router {

/// What a device starts itself again with, to be its guard.
inline constexpr const char* guard_argument = "--srv6-guard";
/// The guard's end of the socket (SOCK_SEQPACKET) between both: what is wanted goes there, as of to_text(Steering),
/// and each is answered by guard_ready or by what went wrong. The first answer comes unasked, after the checks.
inline constexpr int guard_fd = 4;
inline constexpr const char* guard_ready = "ready";
/// Of one message either way.
inline constexpr std::size_t most_guard_bytes = 128u << 10;

/// The process that changes the host's kernel for a device, and takes all of it back when the device has ended, however
/// that came: the socket between them closes then. What it cannot take back, being killed itself, the next one does:
/// routes bear a mark, and a router's settings stand in a file below `folder`. Returns the exit status.
int guard(mesh::DeviceRole role, const std::string& folder);

}  // namespace divisi::router
