// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backend/frame/frame.h"
#include "backend/mesh/topology.h"

namespace divisi::mesh {

// The segment-routing header of a frame: the TLV `hops` lists the devices from the sender's gateway to the receiver's,
// two bytes each, little-endian. A device finds itself in the list, and what follows is its way.

/// A longer way is a loop.
inline constexpr std::size_t most_hops = 64;

void set_hops(frame::FrameHeader& header, const Path& path);
/// The way from `self` on, `self` first; empty where the header does not name it, or names too many.
Path path_from(const frame::FrameHeader& header, RoutingId self);
/// The device after `self`; 0: none.
RoutingId next_hop(const frame::FrameHeader& header, RoutingId self);
/// The receiver's gateway; 0: none.
RoutingId last_hop(const frame::FrameHeader& header);

}  // namespace divisi::mesh
