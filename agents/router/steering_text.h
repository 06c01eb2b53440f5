// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "backend/mesh/route/segment_routes.h"

namespace divisi::router {

// IPv6 addresses, routes and what is wanted as text: of endpoints, of `ip`, between a device and its guard, and in the
// file of settings.

std::optional<mesh::Ipv6> parse_ipv6(std::string_view text);
std::string to_text(const mesh::Ipv6& address);
/// The address in "tcp://[ADDRESS]:PORT ..."; none where it is no IPv6 address that other hosts can reach: unspecified,
/// loopback, link-local, multicast or an IPv4 address in IPv6 form.
std::optional<mesh::Ipv6> reachable_ipv6(std::string_view endpoint);

/// What is wanted, one line a route or neighbour, and back. Nothing for a line that is neither.
std::string to_text(const mesh::Steering& steering);
std::optional<mesh::Steering> parse_steering(std::string_view text);

/// Settings as they were before they were changed, by interface.
using Settings = std::map<std::string, std::string>;
/// "before IF VALUE IF VALUE ...", and back. Nothing for other text.
std::string to_text(const Settings& before);
std::optional<Settings> parse_settings(std::string_view text);

/// The SRv6 routes in what `ip -6 -o route show` prints, ordered by destination; lines of other kinds are left out.
std::vector<mesh::SegmentRoute> parse_routes(std::string_view printed);
/// Where a packet to an address leaves this host, from what `ip -6 -o route get` prints.
struct WayOut {
    std::string device;
    bool local = false;  ///< the address is this host's
};
std::optional<WayOut> parse_way_out(std::string_view printed);

}  // namespace divisi::router
