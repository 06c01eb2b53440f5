// SPDX-License-Identifier: Apache-2.0
#include "agents/module/link_trend.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <utility>

#include "agents/module/share_advice.h"
#include "backend/base/text.h"
#include "backend/control/state/incarnation.h"
#include "backend/control/types/module_types.h"

namespace divisi::module {
namespace {

constexpr std::size_t least_trend_values = 5;
constexpr std::int64_t trend_period_ms = 1000;  // period of observations; devices measure in whole seconds
constexpr std::int64_t trend_valid_ms = 10'000;
constexpr Duration trend_renewal = std::chrono::seconds(4);
constexpr Duration quiet_after_refusal = std::chrono::seconds(10);
/// Factor by which the recorded best rate decreases per second, so that an old best rate loses its effect within
/// minutes.
constexpr double fading = 0.998;
/// Smallest change of a share that justifies advice, in percentage points.
constexpr std::int64_t worth_a_shift = 10;

}  // namespace

control::ModuleInfo LinkTrend::describe() const {
    using control::ModuleInput;
    control::ModuleInfo info;
    info.version = options_.rates.damping < 1 ? "2-damped" : "1-holt";
    info.inputs = {ModuleInput::routes, ModuleInput::quality};
    info.advice = {control::AdviceKind::path_priority};
    info.period_ms = trend_period_ms;
    return info;
}

std::optional<Trend> LinkTrend::trend_of(const Window& window) const {
    if (window.size() < least_trend_values) return std::nullopt;
    return smooth(window.cleaned(), options_.rates);
}

std::vector<control::Advice> LinkTrend::advise(const Features& features) {
    std::vector<control::Advice> all;
    std::erase_if(standings_, [&](const auto& entry) { return !features.routes().contains(entry.first); });
    for (const auto& [ends, route] : features.routes())
        for (control::Advice& advice : assess(route, standings_[ends], features)) all.push_back(std::move(advice));
    return all;
}

std::vector<control::Advice> LinkTrend::assess(const RouteWindows& route, Standing& standing,
                                               const Features& features) {
    if (route.paths[1].devices.empty() || features.time() < standing.quiet_until) return {};
    if (!standing.share) standing.path = route.share >= 50 ? 0 : 1;
    const PathWindows& path = route.paths[standing.path];
    const PathWindows& other = route.paths[1 - standing.path];
    const auto trend = trend_of(path.rate);
    if (!trend || median(path.busy.cleaned()) < (standing.share ? least_busy / 2 : least_busy)) {
        if (path.rate.empty()) standing = {};
        return {};
    }
    standing.best = std::max(standing.best * fading, median(path.rate.cleaned()));
    const double ahead = std::max(trend->forecast(options_.horizon), 0.0);
    const bool degrades =
        ahead + sureness * trend->error < degrades_below * standing.best && trend->error <= most_error * trend->level;
    if (!degrades && (!standing.share || ahead >= well_above * standing.best)) {
        standing.share.reset();  // the share is not advised again, so it expires
        return {};
    }
    const auto others = trend_of(other.rate);
    // The rate of the other path is unknown until that path is used, so assume that it equals the best rate of this
    // path.
    const double other_ahead = others ? std::max(others->forecast(options_.horizon), 0.0) : standing.best;
    const double first = standing.path == 0 ? ahead : other_ahead, second = standing.path == 0 ? other_ahead : ahead;
    const std::int64_t wanted = share_by_rates(first, second);
    const bool changes = std::abs(wanted - standing.share.value_or(route.share)) >= worth_a_shift;
    // A new share may also result from a change of the other path, so compare the old and the new forecast of this
    // path.
    const bool gets_worse = !standing.share || ahead < standing.ahead;
    if (!changes && (!standing.share || features.time() - standing.given < trend_renewal)) return {};
    if (changes && gets_worse && options_.checkpoint)
        for (const auto& [source, destination] : route.flows) endangered_.insert(control::task_of(source));
    if (changes) {
        standing.share = wanted;
        standing.ahead = ahead;
    }
    standing.given = features.time();
    const double certainty = trend->level > 0 ? 1 - trend->error / trend->level : 0;
    return advise_share(route, {*standing.share, std::clamp(certainty, control::least_confidence, 1.0), trend_valid_ms,
                                "the path by " + joined(path.devices) + " carried " + rate_text(standing.best) +
                                    ", now carries " + rate_text(trend->level) + ", and will carry " +
                                    rate_text(ahead) + slowest_link(path.devices, features)});
}

/// Describes the path's link whose round trip has grown most: "; the round trip mg-1 - sr-1 has grown to 40 ms".
std::string LinkTrend::slowest_link(const std::vector<std::string>& devices, const Features& features) const {
    double most = 1.2, now_s = 0;
    std::size_t slowest = 0;
    for (std::size_t i = 1; i < devices.size(); ++i) {
        const auto link = features.links().find({devices[i - 1], devices[i]});
        if (link == features.links().end() || link->second.latency.size() < least_trend_values) continue;
        const std::vector<double> values = link->second.latency.cleaned();
        const double level = smooth(values, options_.rates).level, least = *std::ranges::min_element(values);
        if (least <= 0 || level / least <= most) continue;
        most = level / least;
        now_s = level;
        slowest = i;
    }
    if (slowest == 0) return "";
    char text[32];
    std::snprintf(text, sizeof text, " has grown to %.3g ms", now_s * 1e3);
    return "; the round trip " + devices[slowest - 1] + " - " + devices[slowest] + text;
}

/// Orders checkpoints: a link that degrades may fail next, and the checkpoint then saves the progress.
std::vector<Question> LinkTrend::ask(const Features&) {
    std::vector<Question> orders;
    for (const TaskId& task : std::exchange(endangered_, {})) orders.push_back(control::OrderCheckpoint{task});
    return orders;
}

void LinkTrend::hear(const control::AdviceEcho& echo) {
    if (echo.outcome != control::AdviceOutcome::refused) return;
    const auto standing = standings_.find({echo.advice.from, echo.advice.to});
    if (standing == standings_.end()) return;
    standing->second.quiet_until = standing->second.given + quiet_after_refusal;
    standing->second.share.reset();
}

double Trend::forecast(int periods) const {
    double sum = 0, factor = 1;
    for (int i = 0; i < periods; ++i) sum += factor *= damping;
    return level + sum * trend;
}

Trend smooth(std::span<const double> values, const HoltRates& rates) {
    Trend now{values.front(), 0, 0, rates.damping};
    for (std::size_t i = 1; i < values.size(); ++i) {
        const double expected = now.forecast(1), before = now.level;
        now.error += std::abs(values[i] - expected);
        now.level = rates.level * values[i] + (1 - rates.level) * expected;
        now.trend = rates.trend * (now.level - before) + (1 - rates.trend) * rates.damping * now.trend;
    }
    if (values.size() > 1) now.error /= static_cast<double>(values.size() - 1);
    return now;
}

}  // namespace divisi::module
