// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/signaling/capture.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "backend/mesh/base/network_order.h"
#include "backend/mesh/signaling/rsvp.h"

namespace divisi::mesh::inline signaling {
namespace {

constexpr std::uint32_t nanosecond_magic = 0xa1b23c4d, snap_length = 65'535, linktype_ipv6 = 229;
constexpr std::uint8_t rsvp_protocol = 46, experiment_protocol = 253;
constexpr std::size_t ipv6_header_bytes = 40, send_ttl_at = 4;

std::string packet(TimePoint at, RoutingId from, RoutingId to, std::uint8_t protocol, std::uint8_t hops,
                   std::span<const std::byte> payload) {
    constexpr std::int64_t second = 1'000'000'000, last = std::numeric_limits<std::uint32_t>::max();
    const std::int64_t ns = std::clamp<std::int64_t>(at.time_since_epoch().count(), 0, last * second + second - 1);
    const auto packet_bytes = static_cast<std::uint32_t>(ipv6_header_bytes + payload.size());

    std::string out;
    put(out, static_cast<std::uint32_t>(ns / second));
    put(out, static_cast<std::uint32_t>(ns % second));
    put(out, packet_bytes);  // captured length
    put(out, packet_bytes);  // original length
    put(out, std::uint32_t{6} << 28);
    put(out, static_cast<std::uint16_t>(payload.size()));
    put(out, protocol);
    put(out, hops);
    put_address(out, device_address(from));
    put_address(out, device_address(to));
    out.append(reinterpret_cast<const char*>(payload.data()), payload.size());
    return out;
}

}  // namespace

std::string capture_header() {
    std::string out;
    put(out, nanosecond_magic);
    put(out, std::uint16_t{2});  // version 2.4
    put(out, std::uint16_t{4});
    put(out, std::uint32_t{0});  // times are UTC
    put(out, std::uint32_t{0});  // accuracy not stated
    put(out, snap_length);
    put(out, linktype_ipv6);
    return out;
}

std::string capture_record(TimePoint at, RoutingId from, RoutingId to, std::span<const std::byte> rsvp) {
    rsvp = rsvp.first(std::min(rsvp.size(), max_rsvp_bytes));
    const auto ttl = rsvp.size() > send_ttl_at ? std::to_integer<std::uint8_t>(rsvp[send_ttl_at]) : std::uint8_t{0};
    return packet(at, from, to, rsvp_protocol, ttl, rsvp);
}

std::string capture_advert(TimePoint at, RoutingId from, RoutingId to, std::span<const std::byte> advert) {
    return packet(at, from, to, experiment_protocol, 1, advert.first(std::min(advert.size(), max_advert_bytes)));
}

}  // namespace divisi::mesh::inline signaling
