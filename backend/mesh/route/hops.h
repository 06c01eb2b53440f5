// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backend/frame/frame.h"
#include "backend/mesh/base/topology.h"
#include "backend/mesh/signaling/rsvp.h"

namespace divisi::mesh::inline route {

// A flow's route is its sender's gateway's choice alone: the devices from that gateway to the receiver's. It travels in
// the segment-routing header of each frame (TLV `hops`), and ahead of them in PATH (class 242, which RFC 2205 has
// neighbours pass on unexamined). Of two routes the one with the higher version holds.

/// A longer way is a loop.
inline constexpr std::size_t most_hops = 64;
/// Class-Num of routes in PATH: C-Type 1 the flow's, C-Type 2 its backup.
inline constexpr std::uint8_t route_class = 242;
enum class RouteUse : std::uint8_t { primary = 1, backup = 2 };
inline constexpr std::uint8_t window_class = 243, strand_class = 244, flow_class_class = 245, way_class = 246;

struct Route {
    std::uint32_t version = 0;  ///< 0: no flow's, as of what goes by a lane
    Path path;
    bool operator==(const Route&) const = default;
};

/// The reservation that a chunk is sent by, between two neighbours (TLV of the segment-routing header): one that is
/// over has other counts.
void set_reservation(frame::FrameHeader& header, std::uint64_t incarnation);
std::uint64_t reservation_of(const frame::FrameHeader& header);
/// The window in RESV (class 243): what of the credit does not stand for freed bytes. 0: none is said.
void set_window(RsvpMessage& message, std::uint64_t bytes);
std::uint64_t window_of(const RsvpMessage& message);

/// What has been measured of a link, or of the links of a way one behind the other: the round trips of all, and what
/// the narrowest carries. 0: not known.
struct WayFigures {
    std::uint64_t round_trip_ns = 0, bytes_per_s = 0;
    bool operator==(const WayFigures&) const = default;
};
/// Of figures that no link has nothing is taken.
WayFigures way_figures(double round_trip_s, double bytes_per_s);
WayFigures joined(const WayFigures& first, const WayFigures& rest);
/// Bytes that the way holds, there and back: bandwidth times delay.
double bytes_on(const WayFigures& way);
/// Class 246: in PATH of the link that it comes by, in RESV of the way behind its sender. What is not known is not
/// written.
void set_way(RsvpMessage& message, const WayFigures& way);
WayFigures way_of(const RsvpMessage& message);

/// The strand of a flow (FlowKey): in frames a TLV, in PATH an object of class 244; strand 0 is not written.
void set_strand(frame::FrameHeader& header, std::uint8_t strand);
std::uint8_t strand_of(const frame::FrameHeader& header);
void set_strand(RsvpMessage& message, std::uint8_t strand);
std::uint8_t strand_of(const RsvpMessage& message);

/// The class of a flow: a frame's kind says it, and of a question about chunks the kind of those. In PATH it is an
/// object of class 245; that of tensors is not written.
FlowClass class_of(const frame::FrameHeader& header);
void set_class(RsvpMessage& message, FlowClass flow_class);
FlowClass class_of(const RsvpMessage& message);

void set_route(frame::FrameHeader& header, const Route& route);
/// No version and no path where the header has none, or names too many devices.
Route route_of(const frame::FrameHeader& header);
void set_route(RsvpMessage& message, RouteUse use, const Route& route);
Route route_of(const RsvpMessage& message, RouteUse use);

/// The path from `self` on, `self` first; empty where it does not pass there, or is a circle from there on.
Path path_from(const Path& path, RoutingId self);

}  // namespace divisi::mesh::inline route
