// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/route/hops.h"

#include <algorithm>
#include <cmath>

#include "backend/frame/bytes.h"

namespace divisi::mesh::inline route {
namespace {

constexpr auto hops_type = static_cast<std::uint16_t>(frame::TlvType::hops);
constexpr auto reservation_type = static_cast<std::uint16_t>(frame::TlvType::reservation);
constexpr auto path_index_type = static_cast<std::uint16_t>(frame::TlvType::path_index);

/// Limits on plausible figures; no link takes longer or carries more.
constexpr std::uint64_t most_round_trip_ns = 10'000'000'000, most_bytes_per_s = 1'000'000'000'000;

/// Encodes the version, the number of devices, and the devices; little-endian, padded to 32 bits.
std::string to_bytes(const Route& route) {
    std::string text((6 + 2 * route.path.size() + 3) / 4 * 4, '\0');
    const auto bytes = std::as_writable_bytes(std::span(text));
    frame::store_le(bytes, 0, route.version);
    frame::store_le(bytes, 4, static_cast<std::uint16_t>(route.path.size()));
    for (std::size_t i = 0; i < route.path.size(); ++i) frame::store_le(bytes, 6 + 2 * i, route.path[i].value());
    return text;
}

Route from_bytes(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    if (bytes.size() < 6) return {};
    const std::size_t count = frame::load_le<std::uint16_t>(bytes, 4);
    if (count > most_hops || bytes.size() < 6 + 2 * count) return {};
    Route route{frame::load_le<std::uint32_t>(bytes, 0), {}};
    for (std::size_t i = 0; i < count; ++i) route.path.emplace_back(frame::load_le<std::uint16_t>(bytes, 6 + 2 * i));
    return route;
}

}  // namespace

void set_route(frame::FrameHeader& header, const Route& route) {
    const auto tlv = std::ranges::find(header.routing, hops_type, &frame::Tlv::type);
    if (tlv != header.routing.end()) tlv->value = to_bytes(route);
    else header.routing.push_back({hops_type, to_bytes(route)});
}

Route route_of(const frame::FrameHeader& header) {
    const auto tlv = std::ranges::find(header.routing, hops_type, &frame::Tlv::type);
    return tlv == header.routing.end() ? Route{} : from_bytes(tlv->value);
}

void set_route(RsvpMessage& message, RouteUse use, const Route& route) {
    message.passed_on.push_back({route_class, static_cast<std::uint8_t>(use), to_bytes(route)});
}

Route route_of(const RsvpMessage& message, RouteUse use) {
    for (const RawObject& object : message.passed_on)
        if (object.class_num == route_class && object.c_type == static_cast<std::uint8_t>(use))
            return from_bytes(object.content);
    return {};
}

void set_reservation(frame::FrameHeader& header, std::uint64_t incarnation) {
    std::string value(8, '\0');
    frame::store_le(std::as_writable_bytes(std::span(value)), 0, incarnation);
    const auto tlv = std::ranges::find(header.routing, reservation_type, &frame::Tlv::type);
    if (tlv != header.routing.end()) tlv->value = std::move(value);
    else header.routing.push_back({reservation_type, std::move(value)});
}

std::uint64_t reservation_of(const frame::FrameHeader& header) {
    const auto tlv = std::ranges::find(header.routing, reservation_type, &frame::Tlv::type);
    if (tlv == header.routing.end() || tlv->value.size() != 8) return 0;
    return frame::load_le<std::uint64_t>(std::as_bytes(std::span(tlv->value)), 0);
}

void set_window(RsvpMessage& message, std::uint64_t bytes) {
    std::string value(8, '\0');
    frame::store_le(std::as_writable_bytes(std::span(value)), 0, bytes);
    message.passed_on.push_back({window_class, 1, std::move(value)});
}

std::uint64_t window_of(const RsvpMessage& message) {
    for (const RawObject& object : message.passed_on)
        if (object.class_num == window_class && object.c_type == 1 && object.content.size() == 8)
            return frame::load_le<std::uint64_t>(std::as_bytes(std::span(object.content)), 0);
    return 0;
}

PathFigures path_figures(double round_trip_s, double bytes_per_s) {
    const double round_trip_ns = std::round(1e9 * round_trip_s);
    const bool possible = round_trip_ns >= 0 && round_trip_ns <= static_cast<double>(most_round_trip_ns) &&
                          bytes_per_s >= 1 && bytes_per_s <= static_cast<double>(most_bytes_per_s);
    if (!possible) return {};
    return {static_cast<std::uint64_t>(round_trip_ns), static_cast<std::uint64_t>(bytes_per_s)};
}

PathFigures joined(const PathFigures& first, const PathFigures& rest) {
    const bool both = first.bytes_per_s > 0 && rest.bytes_per_s > 0;
    const auto [least, most] = std::minmax({first.bytes_per_s, rest.bytes_per_s});
    return {first.round_trip_ns + rest.round_trip_ns, both ? least : most};
}

double bytes_on(const PathFigures& way) {
    return static_cast<double>(way.bytes_per_s) * static_cast<double>(way.round_trip_ns) / 1e9;
}

void set_path_figures(RsvpMessage& message, const PathFigures& way) {
    if (way == PathFigures()) return;
    std::string value(16, '\0');
    const auto bytes = std::as_writable_bytes(std::span(value));
    frame::store_le(bytes, 0, way.round_trip_ns);
    frame::store_le(bytes, 8, way.bytes_per_s);
    message.passed_on.push_back({path_figures_class, 1, std::move(value)});
}

PathFigures path_figures_of(const RsvpMessage& message) {
    for (const RawObject& object : message.passed_on) {
        if (object.class_num != path_figures_class || object.c_type != 1 || object.content.size() != 16) continue;
        const auto bytes = std::as_bytes(std::span(object.content));
        const PathFigures way{frame::load_le<std::uint64_t>(bytes, 0), frame::load_le<std::uint64_t>(bytes, 8)};
        const bool possible = way.round_trip_ns <= most_round_trip_ns && way.bytes_per_s <= most_bytes_per_s;
        return possible ? way : PathFigures();
    }
    return {};
}

void set_path_index(frame::FrameHeader& header, std::uint8_t path_index) {
    std::erase_if(header.routing, [](const frame::Tlv& tlv) { return tlv.type == path_index_type; });
    if (path_index > 0) header.routing.push_back({path_index_type, std::string(4, static_cast<char>(path_index))});
}

std::uint8_t path_index_of(const frame::FrameHeader& header) {
    const auto tlv = std::ranges::find(header.routing, path_index_type, &frame::Tlv::type);
    return tlv == header.routing.end() || tlv->value.size() != 4 ? 0 : tlv->value.front() == 1 ? 1 : 0;
}

void set_path_index(RsvpMessage& message, std::uint8_t path_index) {
    if (path_index > 0)
        message.passed_on.push_back({path_index_class, 1, std::string(4, static_cast<char>(path_index))});
}

std::uint8_t path_index_of(const RsvpMessage& message) {
    for (const RawObject& object : message.passed_on)
        if (object.class_num == path_index_class && object.c_type == 1 && object.content.size() == 4)
            return object.content.front() == 1 ? 1 : 0;
    return 0;
}

FlowClass class_of(const frame::FrameHeader& header) {
    const frame::FrameKind kind = header.key.kind == frame::FrameKind::ask ? header.about : header.key.kind;
    return kind == frame::FrameKind::blob_chunk ? FlowClass::blob : FlowClass::tensor;
}

void set_class(RsvpMessage& message, FlowClass flow_class) {
    if (flow_class != FlowClass::tensor)
        message.passed_on.push_back({flow_class_class, 1, std::string(4, static_cast<char>(flow_class))});
}

FlowClass class_of(const RsvpMessage& message) {
    for (const RawObject& object : message.passed_on)
        if (object.class_num == flow_class_class && object.c_type == 1 && object.content.size() == 4)
            return object.content.front() == static_cast<char>(FlowClass::blob) ? FlowClass::blob : FlowClass::tensor;
    return FlowClass::tensor;
}

Path path_from(const Path& path, RoutingId self) {
    const auto from = std::ranges::find(path, self);
    for (auto one = from; one != path.end(); ++one)
        if (std::find(one + 1, path.end(), *one) != path.end()) return {};
    return {from, path.end()};
}

}  // namespace divisi::mesh::inline route
