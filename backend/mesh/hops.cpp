// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/hops.h"

#include <algorithm>

#include "backend/frame/bytes.h"

namespace divisi::mesh {
namespace {

constexpr auto hops_type = static_cast<std::uint16_t>(frame::TlvType::hops);

Path all_hops(const frame::FrameHeader& header) {
    const auto tlv = std::ranges::find(header.routing, hops_type, &frame::Tlv::type);
    if (tlv == header.routing.end() || tlv->value.size() % 2 != 0 || tlv->value.size() > 2 * most_hops) return {};
    const auto bytes = std::as_bytes(std::span(tlv->value));
    Path path;
    for (std::size_t at = 0; at < bytes.size(); at += 2) path.emplace_back(frame::load_le<std::uint16_t>(bytes, at));
    return path;
}

}  // namespace

void set_hops(frame::FrameHeader& header, const Path& path) {
    std::string value(2 * path.size(), '\0');
    const auto bytes = std::as_writable_bytes(std::span(value));
    for (std::size_t i = 0; i < path.size(); ++i) frame::store_le(bytes, 2 * i, path[i].value());
    const auto tlv = std::ranges::find(header.routing, hops_type, &frame::Tlv::type);
    if (tlv != header.routing.end()) tlv->value = std::move(value);
    else header.routing.push_back({hops_type, std::move(value)});
}

Path path_from(const frame::FrameHeader& header, RoutingId self) {
    Path path = all_hops(header);
    path.erase(path.begin(), std::ranges::find(path, self));
    return path;
}

RoutingId next_hop(const frame::FrameHeader& header, RoutingId self) {
    const Path path = path_from(header, self);
    return path.size() > 1 ? path[1] : RoutingId();
}

RoutingId last_hop(const frame::FrameHeader& header) {
    const Path path = all_hops(header);
    return path.empty() ? RoutingId() : path.back();
}

}  // namespace divisi::mesh
