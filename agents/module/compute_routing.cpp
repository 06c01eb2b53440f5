// SPDX-License-Identifier: Apache-2.0
#include "agents/module/compute_routing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "agents/module/share_advice.h"
#include "backend/base/text.h"
#include "backend/control/types/module_types.h"

namespace divisi::module {
namespace {

constexpr std::size_t least_values = 4;
constexpr std::int64_t period_ms = 1000;  // period of observations; devices measure in whole seconds
constexpr std::int64_t valid_ms = 8000;
constexpr Duration renewal = std::chrono::seconds(3);
constexpr Duration first_patience = std::chrono::minutes(2), longest_patience = std::chrono::minutes(30);
constexpr std::int64_t worth_a_change = 15, even_share = 50;  // worth_a_change: percentage points; even_share: percent

std::string percent(double part) { return std::to_string(std::lround(100 * part)) + " %"; }

/// Returns the load on the node's host by processes other than this cluster's instances, as a fraction of the host's
/// processors.
double foreign(const control::ObservedNode& node) {
    return node.cores > 0 ? std::max(node.load - node.own, 0.0) / node.cores : 0;
}

/// Returns the busy fraction of the busier one of a route's two paths.
double busiest(const RouteWindows& route, const Features& features) {
    return std::max(load_of(route.paths[0], features).busy, load_of(route.paths[1], features).busy);
}

}  // namespace

PathLoad load_of(const PathWindows& path, const Features& features) {
    PathLoad load{median(path.busy.cleaned()), path.rate.cleaned()};
    // Data may wait at a later hop, as much as credit permits, while the first hop looks idle. So check every hop.
    for (std::size_t i = 1; i < path.devices.size(); ++i) {
        const auto link = features.links().find({path.devices[i - 1], path.devices[i]});
        if (link == features.links().end() || link->second.rate.empty()) continue;
        const double busy = median(link->second.busy.cleaned());
        if (busy >= load.busy) load = {busy, link->second.rate.cleaned()};
    }
    return load;
}

control::ModuleInfo ComputeRouting::describe() const {
    using control::ModuleInput;
    control::ModuleInfo info;
    info.version = "1";
    info.inputs = {ModuleInput::routes, ModuleInput::quality, ModuleInput::load};
    info.advice = {control::AdviceKind::path_priority, control::AdviceKind::node_avoidance};
    info.sync = true;
    info.period_ms = period_ms;
    return info;
}

std::vector<control::Advice> ComputeRouting::advise(const Features& features) {
    now_ = features.time();
    std::vector<control::Advice> all = avoid(features);
    if (features.placing()) return all;
    std::erase_if(standings_, [&](const auto& entry) { return !features.routes().contains(entry.first); });
    for (const auto& [ends, route] : features.routes()) {
        const auto found = features.routes().find({ends.second, ends.first});
        const RouteWindows* back = found == features.routes().end() ? nullptr : &found->second;
        Standing& standing = standings_[ends];
        const bool advised = standing.share.has_value();
        std::vector<control::Advice> advice = balance(route, back, standing, features);
        if (!advised && !advice.empty() && back != nullptr) {
            std::vector<control::Advice> same = balance_back(*back, standings_[found->first], features);
            advice.insert(advice.end(), same.begin(), same.end());
        }
        all.insert(all.end(), advice.begin(), advice.end());
    }
    return all;
}

/// Advises an even share for the reverse route of a route that will use two paths. Tensors travel in one direction and
/// gradients in the other, and a step waits for the slower direction. If only one direction were divided between two
/// paths, the other direction would be the bottleneck.
std::vector<control::Advice> ComputeRouting::balance_back(const RouteWindows& route, Standing& standing,
                                                          const Features& features) {
    const bool possible = !route.paths[1].devices.empty() && !route.flows.empty();
    if (!possible || standing.share || features.time() < standing.quiet_until) return {};
    standing.share = even_share;
    standing.given = features.time();
    return advise_share(route, {even_share, control::least_confidence, valid_ms,
                                "the reverse route of a route with two paths would delay its steps"});
}

/// Advises to avoid nodes on which other processes use the processors, if another host has little such load.
std::vector<control::Advice> ComputeRouting::avoid(const Features& features) const {
    const auto& nodes = features.seen().nodes;
    std::vector<control::Advice> all;
    for (const control::ObservedNode& node : nodes) {
        const bool elsewhere = std::ranges::any_of(nodes, [&](const control::ObservedNode& other) {
            return other.host != node.host && foreign(other) <= little_foreign_load;
        });
        if (!elsewhere || foreign(node) < foreign_load) continue;
        all.push_back({control::AdviceKind::node_avoidance, node.node.value(), "", 0,
                       std::clamp(foreign(node), control::least_confidence, 1.0), valid_ms,
                       "other processes use " + percent(foreign(node)) + " of the processors of " + node.host});
    }
    return all;
}

std::vector<control::Advice> ComputeRouting::balance(const RouteWindows& route, const RouteWindows* back,
                                                     Standing& standing, const Features& features) {
    if (route.paths[1].devices.empty() || route.flows.empty() || features.time() < standing.quiet_until) return {};
    const bool advised = standing.share.has_value(), by_first = route.share >= 50;
    const double compute = median(route.compute.cleaned()), busy = busiest(route, features);
    const double busy_back = back != nullptr ? busiest(*back, features) : 0;
    const bool limits = advised ? std::max(busy, busy_back) >= still_used : busy >= saturated;
    if (!limits || compute > (advised ? most_compute_while_advised : most_compute)) {
        standing.share.reset();  // the share is not advised again, so it expires
        return {};
    }
    const PathLoad first = load_of(route.paths[0], features), second = load_of(route.paths[1], features);
    const PathLoad &used = by_first ? first : second, &other = by_first ? second : first;
    const bool known = used.rates.size() >= least_values;
    if (!known && !advised) return {};
    const double used_rate = known ? median(used.rates) : 0;
    // The rate of a path is unknown until the path is used, so assume that its hops are as fast as the hops of the
    // other path.
    const double other_rate = other.rates.size() < least_values ? used_rate : median(other.rates);
    const std::int64_t by_rates =
        by_first ? share_by_rates(used_rate, other_rate) : share_by_rates(other_rate, used_rate);
    const std::int64_t wanted = known ? by_rates : *standing.share;
    const bool changes = std::abs(wanted - standing.share.value_or(route.share)) >= worth_a_change;
    if (!changes && (!advised || features.time() - standing.given < renewal)) return {};
    if (changes) standing.share = wanted;
    standing.given = features.time();
    return advise_share(
        route, {*standing.share, std::clamp(std::max(busy, busy_back), control::least_confidence, 1.0), valid_ms,
                "the paths by " + joined(route.paths[0].devices) + " and by " + joined(route.paths[1].devices) +
                    " are busy " + percent(first.busy) + " and " + percent(second.busy) +
                    " of the time, and the instances at their ends " + percent(compute)});
}

/// Handles the outcome of a piece of advice. If steps became no faster, or the advice was refused, it is not repeated
/// during a pause, which doubles up to a limit. The pause also covers the reverse route, whose advice is useless alone.
void ComputeRouting::hear(const control::AdviceEcho& echo) {
    double before = 0, after = 0;
    for (const control::AdviceEffect& effect : echo.effects) before += effect.before_ms, after += effect.after_ms;
    const bool no_gain = echo.outcome == control::AdviceOutcome::held && after > least_gain * before;
    if (!no_gain && echo.outcome != control::AdviceOutcome::refused) return;
    for (const auto& ends : {Features::Ends{echo.advice.from, echo.advice.to}, {echo.advice.to, echo.advice.from}}) {
        const auto standing = standings_.find(ends);
        if (standing == standings_.end() || now_ < standing->second.quiet_until) continue;
        Standing& known = standing->second;
        known.share.reset();
        known.patience = known.patience == Duration{} ? first_patience : std::min(2 * known.patience, longest_patience);
        known.quiet_until = now_ + known.patience;
    }
}

}  // namespace divisi::module
