// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "backend/base/clock.h"
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline signaling {

/// The head of a capture file: classic pcap, big-endian, nanoseconds, LINKTYPE_IPV6. The records follow it.
std::string capture_header();

/// One message as a packet from device to device, of IPv6 protocol 46 with the message's own TTL. `at` becomes the
/// seconds from 1970 to 2106 that pcap can say; of a message above max_rsvp_bytes only those are kept.
std::string capture_record(TimePoint at, RoutingId from, RoutingId to, std::span<const std::byte> rsvp);
/// Signaling of types 1 to 5 likewise, as IPv6 protocol 253, which RFC 3692 keeps for experiments: for a dissector it
/// is data. Of a message above max_advert_bytes only those are kept.
std::string capture_advert(TimePoint at, RoutingId from, RoutingId to, std::span<const std::byte> advert);
inline constexpr std::size_t max_advert_bytes = 8u << 10;

}  // namespace divisi::mesh::inline signaling
