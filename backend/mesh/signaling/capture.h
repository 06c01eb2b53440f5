// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "backend/base/clock.h"
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline signaling {

/// Returns the header of a capture file: classic pcap, big-endian, nanoseconds, LINKTYPE_IPV6. The records follow it.
std::string capture_header();

/// Encodes a message as a packet between devices: IPv6 protocol 46 with the message's own TTL. `at` is clamped to the
/// seconds from 1970 to 2106 that pcap can represent. Only the first max_rsvp_bytes are kept.
std::string capture_record(TimePoint at, RoutingId from, RoutingId to, std::span<const std::byte> rsvp);
/// Encodes signaling of types 1 to 5 as IPv6 protocol 253, which RFC 3692 reserves for experiments; dissectors show it
/// as data. Only the first max_advert_bytes are kept.
std::string capture_advert(TimePoint at, RoutingId from, RoutingId to, std::span<const std::byte> advert);
inline constexpr std::size_t max_advert_bytes = 8u << 10;

}  // namespace divisi::mesh::inline signaling
