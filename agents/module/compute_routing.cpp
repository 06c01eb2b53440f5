// SPDX-License-Identifier: Apache-2.0
#include "agents/module/compute_routing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "agents/module/share_advice.h"
#include "backend/control/advice_bounds.h"

namespace divisi::module {
namespace {

constexpr std::size_t least_values = 4;
constexpr std::int64_t period_ms = 1000;  // devices measure whole seconds
constexpr std::int64_t valid_ms = 8000;
constexpr Duration renewal = std::chrono::seconds(3);
constexpr Duration first_patience = std::chrono::minutes(2), longest_patience = std::chrono::minutes(30);
constexpr std::int64_t worth_a_change = 15;

std::string percent(double part) { return std::to_string(std::lround(100 * part)) + " %"; }

/// Threads on its host that are not of this cluster's instances, as a part of its processors.
double foreign(const control::ObservedNode& node) {
    return node.cores > 0 ? std::max(node.load - node.own, 0.0) / node.cores : 0;
}

}  // namespace

double load_of(const Features& features) {
    double most = 0;
    for (const control::ObservedNode& node : features.seen().nodes)
        if (node.cores > 0) most = std::max(most, node.load / node.cores);
    return most;
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
    for (const auto& [ends, route] : features.routes())
        for (control::Advice& advice : balance(route, standings_[ends], features)) all.push_back(std::move(advice));
    return all;
}

/// Nodes that others keep busy, as long as some other host is free of them.
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
                       "others use " + percent(foreign(node)) + " of the processors of " + node.host});
    }
    return all;
}

std::vector<control::Advice> ComputeRouting::balance(const RouteWindows& route, Standing& standing,
                                                     const Features& features) {
    const auto& [first, second] = route.paths;
    if (second.devices.empty() || route.flows.empty() || features.time() < standing.quiet_until) return {};
    const bool advised = standing.share.has_value();
    const double load = load_of(features);
    const double busy_first = median(first.busy.cleaned()), busy_second = median(second.busy.cleaned());
    const double busiest = std::max(busy_first, busy_second);
    if (load > (advised ? most_load_while_advised : most_load) || busiest < (advised ? still_used : saturated)) {
        standing.share.reset();  // what is advised expires
        return {};
    }
    const bool by_first = route.share >= 50;
    const Window &used = by_first ? first.rate : second.rate, &other = by_first ? second.rate : first.rate;
    if (used.size() < least_values) return {};
    const double used_rate = median(used.cleaned());
    // Nobody knows a path before it is used; its hops may be as good as those of the other.
    const double other_rate = other.size() < least_values ? used_rate : median(other.cleaned());
    const std::int64_t wanted =
        by_first ? share_by_rates(used_rate, other_rate) : share_by_rates(other_rate, used_rate);
    const bool changes = std::abs(wanted - standing.share.value_or(route.share)) >= worth_a_change;
    if (!changes && (!advised || features.time() - standing.given < renewal)) return {};
    if (changes) standing.share = wanted;
    standing.given = features.time();
    return advise_share(route, {*standing.share, std::clamp(busiest, control::least_confidence, 1.0), valid_ms,
                                "the paths by " + joined(first.devices) + " and by " + joined(second.devices) +
                                    " are busy " + percent(busy_first) + " and " + percent(busy_second) +
                                    " of the time, the processors " + percent(load)});
}

/// An advice after which steps are no faster is not given again for a while, twice as long each time.
void ComputeRouting::hear(const control::AdviceEcho& echo) {
    const auto standing = standings_.find({echo.advice.from, echo.advice.to});
    if (standing == standings_.end()) return;
    Standing& known = standing->second;
    double before = 0, after = 0;
    for (const control::AdviceEffect& effect : echo.effects) before += effect.before_ms, after += effect.after_ms;
    const bool no_gain = echo.outcome == control::AdviceOutcome::held && after > least_gain * before;
    if (!no_gain && echo.outcome != control::AdviceOutcome::refused) return;
    known.share.reset();
    known.patience = known.patience == Duration{} ? first_patience : std::min(2 * known.patience, longest_patience);
    known.quiet_until = now_ + known.patience;
}

}  // namespace divisi::module
