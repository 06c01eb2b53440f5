// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "backend/mesh/route/segment_routes.h"

namespace divisi::router {

// Functions that convert IPv6 addresses, routes and the wanted state to and from text. The texts are used in endpoints,
// for `ip`, between a device and its guard, and in the file of settings.

std::optional<mesh::Ipv6> parse_ipv6(std::string_view text);
std::string to_text(const mesh::Ipv6& address);
/// Returns the address in "tcp://[ADDRESS]:PORT ...". Returns none if other hosts cannot reach it: unspecified,
/// loopback, link-local, multicast or an IPv4 address in IPv6 form.
std::optional<mesh::Ipv6> reachable_ipv6(std::string_view endpoint);

/// Writes the wanted state, one line per route or neighbour, and reads it back. Reading returns none if a line is
/// neither a route nor a neighbour.
std::string to_text(const mesh::Steering& steering);
std::optional<mesh::Steering> parse_steering(std::string_view text);

/// Original values of changed settings, by interface.
using Settings = std::map<std::string, std::string>;
/// Writes "before IF VALUE IF VALUE ...", and reads it back. Reading returns none for other text.
std::string to_text(const Settings& before);
std::optional<Settings> parse_settings(std::string_view text);

/// Returns the SRv6 routes in the output of `ip -6 -o route show`, sorted by destination; other lines are skipped.
std::vector<mesh::SegmentRoute> parse_routes(std::string_view printed);
/// The interface through which a packet to an address leaves this host, parsed from the output of `ip -6 -o route get`.
struct EgressInterface {
    std::string device;
    bool local = false;  ///< whether the address belongs to this host
};
std::optional<EgressInterface> parse_egress_interface(std::string_view printed);

}  // namespace divisi::router
