// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "backend/base/clock.h"

namespace divisi::control::inline protocol {

/// The heartbeat interval of the control plane; a peer that is silent for ten intervals is lost. Heartbeats detect
/// machines that vanish and processes that hang. A process that ends closes its connection, which is noticed at once.
/// The timeout is long because a busy two-core machine delays heartbeats by seconds, and a late detection does not hurt
/// training.
inline constexpr Duration heartbeat_interval = std::chrono::milliseconds(500);
inline constexpr Duration peer_timeout = 10 * heartbeat_interval;

/// Time within which a node or an instance whose connection broke may come back as the same process. After a network
/// failure of 10 s, reconnecting takes 5 s more. A peer that is away for longer counts as gone.
inline constexpr Duration return_grace = std::chrono::seconds(20);

}  // namespace divisi::control::inline protocol
