// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/route_finder.h"

#include <algorithm>
#include <array>
#include <utility>

namespace divisi::mesh::inline forwarding {
namespace {

/// Time for which a device is avoided after it had no room.
constexpr Duration avoided_for = std::chrono::seconds(5);
/// A queue of this many bytes shows that bytes arrive faster than the link carries them. Bytes in transit on the link
/// do not count.
constexpr std::uint64_t long_queue = 4 * frame::max_chunk_bytes;

/// Returns the link on which the path leaves the device.
std::optional<LinkKey> link_behind(const Path& path, RoutingId device) {
    const auto at = std::ranges::find(path, device);
    if (at == path.end() || at + 1 == path.end()) return std::nullopt;
    return link_key(*at, *(at + 1));
}

}  // namespace

std::optional<Paths> RouteFinder::paths_for(const RelayFlow& flow) {
    const Avoid unusable = this->unusable();
    const auto paths = [&](const Avoid& avoid) {
        // Most flows avoid only the unusable devices, and a gateway has many flows to few other gateways. Their paths
        // are therefore computed once per gateway.
        auto two = avoid == unusable
                       ? std::optional(lane_paths(flow.name.destination))
                       : two_paths(context_.table.topology(), context_.config.self, flow.name.destination, avoid);
        if (two && two->primary.empty()) two.reset();
        const bool second = flow.key.path_index == 1 || (flow.by_second && !context_.rule_for(flow).first_share);
        if (two && second && !two->backup.empty()) std::swap(two->primary, two->backup);
        return two;
    };
    Avoid avoid = unusable;
    const auto usable = [&](RoutingId id) { return neighbours_.is_usable(id); };
    for (const RoutingId id : breakers_.refuse(flow.key, usable)) avoid_neighbour(avoid, id);
    auto found = paths(avoid);
    if (!found && avoid.links.size() > unusable.links.size()) found = paths(unusable);
    const bool has_hop = found && found->primary.size() >= 2;
    breakers_.let_go(flow.key, has_hop ? std::optional(found->primary[1]) : std::nullopt);
    return found;
}

const Paths& RouteFinder::lane_paths(RoutingId gateway) {
    const auto [known, fresh] = lane_paths_.try_emplace(gateway);
    if (!fresh) return known->second;
    Avoid avoid = unusable();
    if (!paths_from_ || paths_from_->avoid() != avoid)
        paths_from_.emplace(context_.table.topology(), context_.config.self, std::move(avoid));
    known->second = paths_from_->to(gateway).value_or(Paths());
    return known->second;
}

bool RouteFinder::reaches(RoutingId gateway) {
    if (gateway == context_.config.self) return true;
    const Paths& paths = lane_paths(gateway);
    return std::ranges::any_of(std::array{&paths.primary, &paths.backup}, [&](const Path* path) {
        return !path->empty() && !avoided_links_.doubts(*path, context_.now);
    });
}

bool RouteFinder::second_is_shorter(const RelayFlow& flow, const Paths& paths) const {
    if (context_.rule_for(flow).first_share || paths.backup.empty()) return false;
    const Topology& topology = context_.table.topology();
    if (path_cost(topology, paths.primary) != path_cost(topology, paths.backup)) return false;
    const auto first = queue_behind(paths.primary), second = queue_behind(paths.backup);
    return first && second && *first >= long_queue && *second <= *first / 2;
}

/// Returns the bytes that wait at the first router of a path for its next link; nothing if the router has not reported
/// lately.
std::optional<std::uint64_t> RouteFinder::queue_behind(const Path& path) const {
    if (path.size() < 3) return std::nullopt;
    const LinkLoad* link = loads_.link(path[1], path[2]);
    if (!link || !link->usable) return std::nullopt;
    return link->queued;
}

void RouteFinder::forget_paths() {
    lane_paths_.clear();
    paths_from_.reset();
}

void RouteFinder::record_refusal(RelayFlow& flow, const ErrorSpec& refusal) {
    const auto device = context_.table.device_at(refusal.node);
    if (!device) return;
    auto link = link_behind(flow.path, *device);
    if (!link) link = link_behind(flow.backup_path, *device);
    if (refusal.code == routing_problem && link) avoided_links_.refused(*link, context_.now);
    else if (*device == flow.name.destination) flow.paused = context_.now + avoided_for;
    else bad_devices_[*device] = context_.now + avoided_for;
    forget_paths();
}

void RouteFinder::record_failure(RoutingId neighbour) {
    if (context_.config.role != DeviceRole::gateway) return;
    const auto avoided = breakers_.record_failure(neighbour, context_.now);
    if (!avoided) return;
    ++context_.counters.ejections;
    context_.refuse(ErrorCode::unavailable,
                    context_.table.name_of(neighbour, "a neighbour") + " fails repeatedly: flows avoid it for " +
                        std::to_string(*avoided / std::chrono::seconds(1)) + " s if another path exists",
                    neighbour);
}

bool RouteFinder::end_avoidances() {
    const bool tried = avoided_links_.tick(context_.now);
    return std::erase_if(bad_devices_, [&](const auto& entry) { return context_.now >= entry.second; }) > 0 || tried;
}

/// Returns the devices and links that this device knows to be unusable.
Avoid RouteFinder::unusable() const {
    Avoid avoid;
    for (const auto& [id, link] : neighbours_)
        if (!link.is_usable()) avoid_neighbour(avoid, id);
    for (const auto& [id, until] : bad_devices_) avoid.devices.insert(id);
    avoided_links_.add_to(avoid);
    avoid.links.merge(loads_.failed_links());
    return avoid;
}

/// Avoids the link to the neighbour as well, because a device at the end of a path is never avoided.
void RouteFinder::avoid_neighbour(Avoid& avoid, RoutingId neighbour) const {
    avoid.devices.insert(neighbour);
    avoid.links.insert(link_key(context_.config.self, neighbour));
}

}  // namespace divisi::mesh::inline forwarding
