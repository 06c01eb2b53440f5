// SPDX-License-Identifier: Apache-2.0
#include "agents/module/features.h"

#include <algorithm>
#include <optional>

#include "backend/control/state/incarnation.h"

namespace divisi::module {
namespace {

using control::Observation;
using mesh::Quality;

std::optional<double> rate_of(const Quality& quality) {
    if (quality.busy < least_busy_to_measure || quality.bytes_per_s <= 0) return std::nullopt;
    return quality.bytes_per_s / quality.busy;
}

std::optional<double> latency_of(const Quality& quality) {
    if (quality.latency_p50_s <= 0) return std::nullopt;
    return quality.latency_p50_s;
}

/// Returns the busy share of the busiest instance at the ends of the flows; none if no such instance is observed.
std::optional<double> busiest_of(const std::set<std::pair<Sid, Sid>>& flows,
                                 const std::vector<control::ObservedInstance>& instances) {
    std::optional<double> most;
    for (const control::ObservedInstance& one : instances) {
        const Sid sid = control::sid_of(one.instance);
        const bool ends_here =
            std::ranges::any_of(flows, [&](const auto& flow) { return flow.first == sid || flow.second == sid; });
        if (ends_here) most = std::max(most.value_or(0), one.busy_share);
    }
    return most;
}

/// Combines concurrent flows of a path: rates add up, and the path is as busy as its busiest flow.
Quality sum(const Quality& a, const Quality& b) {
    Quality both = a;
    both.bytes_per_s += b.bytes_per_s;
    both.busy = std::max(a.busy, b.busy);
    both.latency_p50_s = std::max(a.latency_p50_s, b.latency_p50_s);
    return both;
}

}  // namespace

Adjacency adjacency(const std::vector<control::ObservedDevice>& devices) {
    Adjacency made;
    for (const auto& device : devices) made.names.push_back(device.name);
    made.linked.assign(made.names.size(), std::vector<bool>(made.names.size(), false));
    for (std::size_t i = 0; i < devices.size(); ++i)
        for (const std::string& neighbour : devices[i].neighbours) {
            const auto found = std::ranges::find(made.names, neighbour);
            if (found == made.names.end()) continue;
            const auto j = static_cast<std::size_t>(found - made.names.begin());
            made.linked[i][j] = made.linked[j][i] = true;  // a link exists if either end reports the other
        }
    return made;
}

void Features::take(const control::Observe& observed) {
    placing_ = observed.placing;
    time_ = observed.time;
    seen_ = observed.seen;
    if (placing_) return;  // this observation was made for a placement, between two periods
    take_routes();
    take_links();
}

void Features::take_routes() {
    std::map<Ends, RouteWindows> now;
    for (const control::ObservedRoute& route : seen_.routes) {
        const Ends ends{route.from, route.to};
        const auto known = routes_.find(ends);
        RouteWindows windows = known == routes_.end() ? RouteWindows{} : std::move(known->second);
        windows.from = route.from;
        windows.to = route.to;
        windows.share = route.share;
        windows.shared = false;
        const std::array<std::vector<std::string>, 2> devices{route.first, route.second};
        std::set<std::pair<Sid, Sid>> flows;
        std::array<std::optional<Quality>, 2> passed;
        for (const control::ObservedFlow& flow : seen_.flows)
            for (const std::size_t path : {0, 1}) {
                if (flow.path.empty() || flow.path != devices[path]) continue;
                if (left_out_.contains(flow.task)) {
                    windows.shared = true;
                    continue;
                }
                passed[path] = passed[path] ? sum(*passed[path], flow.quality) : flow.quality;
                flows.emplace(flow.source, flow.destination);
            }
        // If the flows or devices change, the old measurements no longer apply, because the chunks or links are
        // different.
        for (const std::size_t path : {0, 1}) {
            PathWindows& one = windows.paths[path];
            if (one.devices != devices[path] || windows.flows != flows) one = {devices[path], {}, {}, {}};
            const Quality quality = passed[path].value_or(Quality{});
            one.rate.add(rate_of(quality));
            one.busy.add(quality.busy);
            one.latency.add(latency_of(quality));
        }
        if (windows.flows != flows) windows.compute = {};
        windows.compute.add(busiest_of(flows, seen_.instances));
        windows.flows = std::move(flows);
        now.emplace(ends, std::move(windows));
    }
    routes_ = std::move(now);
}

void Features::take_links() {
    std::map<Ends, LinkWindows> now;
    for (const control::ObservedLink& link : seen_.links) {
        const Ends ends{link.from, link.to};
        const auto known = links_.find(ends);
        LinkWindows windows = known == links_.end() ? LinkWindows{} : std::move(known->second);
        windows.rate.add(link.usable ? rate_of(link.quality) : std::nullopt);
        windows.busy.add(link.quality.busy);
        windows.latency.add(latency_of(link.quality));
        now.emplace(ends, std::move(windows));
    }
    links_ = std::move(now);
}

}  // namespace divisi::module
