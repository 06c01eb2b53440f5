// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backend/frame/frame.h"
#include "backend/mesh/base/topology.h"
#include "backend/mesh/signaling/rsvp.h"

namespace divisi::mesh::inline route {

// The sender's gateway alone chooses a flow's route: the devices from that gateway to the receiver's. The route travels
// in the segment-routing header of each frame (TLV `hops`). PATH carries the route to the devices before the first
// frame, in an object of class 242: RFC 2205 requires neighbours to forward objects of that class without examining
// them. If there are two routes, the one with the higher version applies.

/// Limit on a route's length; a longer route is a loop.
inline constexpr std::size_t most_hops = 64;
/// Class-Num of routes in PATH. C-Type 1: the flow's route; C-Type 2: its backup.
inline constexpr std::uint8_t route_class = 242;
enum class RouteUse : std::uint8_t { primary = 1, backup = 2 };
inline constexpr std::uint8_t window_class = 243, path_index_class = 244, flow_class_class = 245,
                              path_figures_class = 246;

struct Route {
    std::uint32_t version = 0;  ///< 0: not a flow's route, but for example the route of a lane frame
    Path path;
    bool operator==(const Route&) const = default;
};

/// The reservation under which a chunk is sent between two neighbours (TLV of the segment-routing header). It shows the
/// receiver which chunks belong to an expired reservation, whose bytes are counted separately.
void set_reservation(frame::FrameHeader& header, std::uint64_t incarnation);
std::uint64_t reservation_of(const frame::FrameHeader& header);
/// The window in RESV (class 243): the credit minus the bytes that were freed. 0: not stated.
void set_window(RsvpMessage& message, std::uint64_t bytes);
std::uint64_t window_of(const RsvpMessage& message);

/// Measured figures of a link, or of consecutive links: the sum of their round trips, and the bandwidth of the
/// narrowest link. 0: not known.
struct PathFigures {
    std::uint64_t round_trip_ns = 0, bytes_per_s = 0;
    bool operator==(const PathFigures&) const = default;
};
/// Converts measured figures; an implausible figure becomes unknown.
PathFigures path_figures(double round_trip_s, double bytes_per_s);
PathFigures joined(const PathFigures& first, const PathFigures& rest);
/// Returns bandwidth times round-trip time: the bytes in transit in both directions.
double bytes_on(const PathFigures& way);
/// Figures of links, in an object of class 246. In a PATH, the figures describe the link over which the PATH arrives.
/// In a RESV, they describe the links beyond its sender. Unknown figures are not written.
void set_path_figures(RsvpMessage& message, const PathFigures& way);
PathFigures path_figures_of(const RsvpMessage& message);

/// The path index of a flow (FlowKey): a TLV in frames, an object of class 244 in PATH. Path index 0 is not written.
void set_path_index(frame::FrameHeader& header, std::uint8_t path_index);
std::uint8_t path_index_of(const frame::FrameHeader& header);
void set_path_index(RsvpMessage& message, std::uint8_t path_index);
std::uint8_t path_index_of(const RsvpMessage& message);

/// The class of a flow. In frames, the class is derived from the frame's kind or, in a question about chunks, from the
/// kind of those chunks. In PATH, it is an object of class 245; the class `tensor` is not written.
FlowClass class_of(const frame::FrameHeader& header);
void set_class(RsvpMessage& message, FlowClass flow_class);
FlowClass class_of(const RsvpMessage& message);

void set_route(frame::FrameHeader& header, const Route& route);
/// Returns the route; an empty route without a version if the header has no route or names too many devices.
Route route_of(const frame::FrameHeader& header);
void set_route(RsvpMessage& message, RouteUse use, const Route& route);
Route route_of(const RsvpMessage& message, RouteUse use);

/// Returns the rest of the path from `self` on. Empty if the path does not contain `self` or repeats a device after it.
Path path_from(const Path& path, RoutingId self);

}  // namespace divisi::mesh::inline route
