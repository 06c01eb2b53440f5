// SPDX-License-Identifier: Apache-2.0
// Signaling type 4: how a router reports its load to the gateways next to it, and how a gateway uses the report.
#include <algorithm>

#include "backend/mesh/base/service_path.h"
#include "backend/mesh/forwarding/relay.h"

namespace divisi::mesh::inline forwarding {
namespace {

/// A queue of this many bytes shows that a link carries less than arrives. Bytes in transit on the link do not count.
constexpr std::uint64_t long_queue = 4 * frame::max_chunk_bytes;

}  // namespace

// --- at a router --------------------------------------------------------------------------------

std::vector<LinkLoad> Relay::link_loads() const {
    std::map<RoutingId, LinkLoad> links;
    for (const auto& [id, neighbour] : neighbours_)
        links[id] = {id.value(),    usable(id), 0, 0, neighbour.quality.bytes_per_s, neighbour.quality.latency_p50_s,
                     neighbour.loss};
    for (const auto& [key, flow] : flows_) {
        const auto link = links.find(flow.exit.device);
        if (link == links.end()) continue;
        link->second.queued += flow.queued;
        if (const auto next = flow.downstream.find(flow.exit.device); next != flow.downstream.end())
            link->second.credit += next->second.allowance.left();
    }
    std::vector<LinkLoad> rows;
    for (const auto& [id, link] : links) rows.push_back(link);
    return rows;
}

/// Returns the load by the receivers' prefixes; flows that are not in the table are left out.
std::vector<PrefixLoad> Relay::prefix_loads() const {
    std::map<std::string, PrefixLoad> prefixes;
    for (const auto& [key, flow] : flows_) {
        const auto place = places_.find(key.destination);
        if (!flow.named || place == places_.end()) continue;
        const std::string prefix(parent(place->second.sid.value()));
        if (!is_service_path(prefix)) continue;
        PrefixLoad& row = prefixes[prefix];
        row.prefix = prefix;
        row.service_s = std::max(row.service_s, flow.quality.latency_p50_s);
        row.load = std::max(row.load, flow.quality.busy);
        row.queued += flow.queued;
        row.device = place->second.device;
        row.flops_per_s = place->second.flops_per_s;
    }
    std::vector<PrefixLoad> rows;
    for (auto& [prefix, row] : prefixes) rows.push_back(std::move(row));
    return rows;
}

void Relay::tell_load() {
    if (config_.role != DeviceRole::router || !load_reporter_.may_tell(now_)) return;
    LoadAdvert advert;
    advert.sender = config_.self.value();
    advert.time = now_;
    advert.links = link_loads();
    advert.prefixes = prefix_loads();
    keep_within_bounds(advert);
    if (!load_reporter_.due(advert, now_)) return;
    std::vector<RoutingId> to;
    for (const auto& [id, neighbour] : neighbours_) {
        const Device* device = topology_.device(id);
        if (device && device->role == DeviceRole::gateway && usable(id)) to.push_back(id);
    }
    // Later processes of this router use higher numbers.
    advert.sequence = (std::uint64_t{config_.boot} << 32) + ++last_load_;
    load_reporter_.told(advert, now_);
    if (!to.empty()) actions_.load = relay::LoadTo{std::move(to), std::move(advert)};
}

// --- at a gateway -------------------------------------------------------------------------------

void Relay::on(relay::Load& event) {
    const auto refuse_load = [&](ErrorCode code, const std::string& what) {
        ++counters_.refused_signals;
        refuse(code, what, event.from);
    };
    const Device* sender = topology_.device(event.from);
    if (!topology_.link(config_.self, event.from))
        return refuse_load(ErrorCode::denied, "type 4 from a device that is no neighbour");
    if (!neighbours_.contains(event.from)) return;  // not connected yet; the next message will be taken
    heard(event.from);
    if (!within_lane_limit(event.from, 0))
        return refuse_load(ErrorCode::exhausted, "more messages than a neighbour may send");
    if (config_.role != DeviceRole::gateway || !sender || sender->role != DeviceRole::router)
        return refuse_load(ErrorCode::denied, "type 4, which routers send to gateways alone");
    const auto taken = loads_.take(event.from, std::move(event.said), now_);
    if (!taken) return refuse_load(taken.error().code, taken.error().what);
    if (*taken) choose_all();
}

/// Returns the bytes that wait behind the first router of a path; nothing if it has not reported lately.
std::optional<std::uint64_t> Relay::queue_behind(const Path& path) const {
    if (path.size() < 3) return std::nullopt;
    const LinkLoad* link = loads_.link(path[1], path[2]);
    if (!link || !link->usable) return std::nullopt;
    return link->queued;
}

/// Returns whether a new flow takes the second of two equally expensive paths, because much less waits behind its first
/// router. The flow stays there: following every queue would disturb the order of its tensors and the queues of both
/// paths.
bool Relay::second_is_shorter(const Flow& flow, const Paths& paths) const {
    if (rule_for(flow).first_share || paths.backup.empty()) return false;
    if (path_cost(topology_, paths.primary) != path_cost(topology_, paths.backup)) return false;
    const auto first = queue_behind(paths.primary), second = queue_behind(paths.backup);
    return first && second && *first >= long_queue && *second <= *first / 2;
}

}  // namespace divisi::mesh::inline forwarding
