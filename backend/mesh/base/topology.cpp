// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/base/topology.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace divisi::mesh::inline base {
namespace {

/// Upper limit of a cost (28 hours), so that the sum along a path through all 65,535 ids fits 64 bits.
constexpr double highest_cost = 1e14;

std::int64_t nanoseconds(double seconds) {
    return static_cast<std::int64_t>(std::llround(std::min(seconds * 1e9, highest_cost)));
}

std::int64_t cost_of(const Link& link) {
    const double once_s = link.latency_s + cost_chunk_bytes / link.bytes_per_s;
    return std::max<std::int64_t>(1, nanoseconds(once_s / (1 - link.loss)));
}

Error invalid(std::string what) { return Error{ErrorCode::invalid_input, std::move(what), "topology", ""}; }
std::string text(RoutingId id) { return std::to_string(id.value()); }
std::string text(LinkKey key) { return text(key.first) + "-" + text(key.second); }

Result<void> check_load(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0) return invalid("the load of a device is not a valid time");
    return {};
}

Result<void> check_figures(const LinkFigures& figures, LinkKey key) {
    const bool possible = std::isfinite(figures.latency_s) && figures.latency_s >= 0 &&
                          std::isfinite(figures.bytes_per_s) && figures.bytes_per_s > 0 && figures.loss >= 0 &&
                          figures.loss < 1;
    if (!possible) return invalid("impossible latency, bandwidth or loss of link " + text(key));
    return {};
}

Result<void> check(const Device& device) {
    if (device.id == RoutingId()) return invalid("a device without a routing identifier");
    if (device.role != DeviceRole::gateway && device.role != DeviceRole::router)
        return invalid("device " + text(device.id) + " is neither gateway nor router");
    if ((device.role == DeviceRole::gateway) == device.mic.value().empty())
        return invalid("device " + text(device.id) + ": gateways have a MIC, routers have none");
    for (const std::string* words : {&device.name, &device.mic.value(), &device.endpoint, &device.key})
        if (words->size() > most_text_bytes)
            return Error{ErrorCode::exhausted, "device " + text(device.id) + " has a description that is too long",
                         "topology", ""};
    return check_load(device.load);
}

}  // namespace

Result<void> Topology::set(std::vector<Device> devices, std::vector<Link> links) {
    if (links.size() > most_links) return Error{ErrorCode::exhausted, "too many links", "topology", ""};
    Topology next;
    std::sort(devices.begin(), devices.end(), [](const Device& a, const Device& b) { return a.id < b.id; });
    for (std::size_t i = 0; i < devices.size(); ++i) {
        DIVISI_TRY(check(devices[i]));
        if (i > 0 && devices[i].id == devices[i - 1].id) return invalid("id " + text(devices[i].id) + " is used twice");
        if (devices[i].role == DeviceRole::gateway && !next.gateways_.emplace(devices[i].mic, i).second)
            return invalid("device " + text(devices[i].id) + " is the second gateway of its MIC");
        next.transit_costs_.push_back(nanoseconds(devices[i].load));
    }
    next.devices_ = std::move(devices);
    next.edges_.resize(next.devices_.size());

    for (Link& link : links) std::tie(link.a, link.b) = link_key(link.a, link.b);
    std::sort(links.begin(), links.end(),
              [](const Link& x, const Link& y) { return std::tie(x.a, x.b) < std::tie(y.a, y.b); });
    for (std::size_t i = 0; i < links.size(); ++i) {
        const Link& link = links[i];
        const LinkKey key{link.a, link.b};
        const auto a = next.index(link.a), b = next.index(link.b);
        if (!a || !b) return invalid("link " + text(key) + " leads to an unknown device");
        if (link.a == link.b) return invalid("link " + text(key) + " leads to itself");
        if (i > 0 && LinkKey{links[i - 1].a, links[i - 1].b} == key)
            return invalid("link " + text(key) + " is named twice");
        DIVISI_TRY(check_figures({link.latency_s, link.bytes_per_s, link.loss}, key));
        next.link_costs_.push_back(cost_of(link));
        next.edges_[*a].push_back({static_cast<std::uint32_t>(*b), static_cast<std::uint32_t>(i)});
        next.edges_[*b].push_back({static_cast<std::uint32_t>(*a), static_cast<std::uint32_t>(i)});
    }
    next.links_ = std::move(links);
    for (auto& edges : next.edges_)
        std::sort(edges.begin(), edges.end(), [](Edge x, Edge y) { return x.device < y.device; });
    *this = std::move(next);
    return {};
}

Result<void> Topology::set_up(RoutingId device, bool up) {
    const auto at = index(device);
    if (!at) return Error{ErrorCode::not_found, "no device " + text(device), "topology", ""};
    devices_[*at].up = up;
    return {};
}

Result<void> Topology::set_up(LinkKey link, bool up) {
    const auto at = link_index(link);
    if (!at) return Error{ErrorCode::not_found, "no link " + text(link), "topology", ""};
    links_[*at].up = up;
    return {};
}

Result<void> Topology::set_load(RoutingId device, double seconds) {
    const auto at = index(device);
    if (!at) return Error{ErrorCode::not_found, "no device " + text(device), "topology", ""};
    DIVISI_TRY(check_load(seconds));
    devices_[*at].load = seconds;
    transit_costs_[*at] = nanoseconds(seconds);
    return {};
}

Result<void> Topology::set_figures(LinkKey link, LinkFigures figures) {
    const auto at = link_index(link);
    if (!at) return Error{ErrorCode::not_found, "no link " + text(link), "topology", ""};
    DIVISI_TRY(check_figures(figures, link));
    Link& known = links_[*at];
    known.latency_s = figures.latency_s;
    known.bytes_per_s = figures.bytes_per_s;
    known.loss = figures.loss;
    link_costs_[*at] = cost_of(known);
    return {};
}

std::optional<std::size_t> Topology::index(RoutingId id) const {
    const auto at = std::lower_bound(devices_.begin(), devices_.end(), id,
                                     [](const Device& device, RoutingId wanted) { return device.id < wanted; });
    if (at == devices_.end() || at->id != id) return std::nullopt;
    return static_cast<std::size_t>(at - devices_.begin());
}

std::optional<std::size_t> Topology::link_index(LinkKey key) const {
    key = link_key(key.first, key.second);
    const auto at = std::lower_bound(links_.begin(), links_.end(), key, [](const Link& link, const LinkKey& wanted) {
        return LinkKey{link.a, link.b} < wanted;
    });
    if (at == links_.end() || LinkKey{at->a, at->b} != key) return std::nullopt;
    return static_cast<std::size_t>(at - links_.begin());
}

const Device* Topology::device(RoutingId id) const {
    const auto at = index(id);
    return at ? &devices_[*at] : nullptr;
}

const Device* Topology::gateway_of(const MicId& mic) const {
    const auto at = gateways_.find(mic);
    return at == gateways_.end() ? nullptr : &devices_[at->second];
}

const Link* Topology::link(RoutingId a, RoutingId b) const {
    const auto at = link_index({a, b});
    return at ? &links_[*at] : nullptr;
}

std::vector<RoutingId> Topology::neighbours(RoutingId id) const {
    std::vector<RoutingId> result;
    if (const auto at = index(id); at && devices_[*at].up)
        for (const Edge& edge : edges_[*at])
            if (links_[edge.link].up && devices_[edge.device].up) result.push_back(devices_[edge.device].id);
    return result;
}

}  // namespace divisi::mesh::inline base
