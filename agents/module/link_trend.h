// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agents/module/holt.h"
#include "agents/module/module.h"

namespace divisi::module {

struct LinkTrendOptions {
    HoltRates rates;
    int horizon = 4;          ///< periods ahead
    bool checkpoint = false;  ///< orders a checkpoint of tasks when their path gets worse, but not when it recovers
};

/// Predicts degrading links. Smooths the rate of each path and the round trips of its links by Holt's method. If a
/// path's forecast is below what the path has carried, it advises to divide the tensors according to the forecasts for
/// both paths. This is earlier than the orchestrator's own loop, which only reacts when a rate has fallen to half.
class LinkTrend : public Module {
public:
    explicit LinkTrend(const LinkTrendOptions& options) : options_(options) {}

    control::ModuleInfo describe() const override;
    std::vector<control::Advice> advise(const Features& features) override;
    void hear(const control::AdviceEcho& echo) override;
    std::vector<Question> ask(const Features& features) override;

private:
    /// State of a route in addition to its windows.
    struct Standing {
        double best = 0;                    ///< best rate of the path; fades slowly
        std::optional<std::int64_t> share;  ///< the advised share
        double ahead = 0;                   ///< forecast rate of the path when the share was advised
        std::size_t path = 0;               ///< the degrading path
        TimePoint given{}, quiet_until{};
    };
    std::optional<Trend> trend_of(const Window& window) const;
    std::vector<control::Advice> assess(const RouteWindows& route, Standing& standing, const Features& features);
    std::string slowest_link(const std::vector<std::string>& devices, const Features& features) const;

    LinkTrendOptions options_;
    std::map<Features::Ends, Standing> standings_;
    std::set<TaskId> endangered_;  ///< tasks for which to order a checkpoint
};

/// A path degrades if its forecast is below the first fraction of its best rate, and has recovered above the second.
inline constexpr double degrades_below = 0.85, well_above = 0.95;
/// The fall must be at least this many mean errors of the forecasts. These errors must be at most this fraction of the
/// rate. The rate of a slowed link varies by a twentieth from second to second, that of a link that waits for
/// processors by a third.
inline constexpr double sureness = 2, most_error = 0.2;
/// Busy fraction below which a path delays nothing.
inline constexpr double least_busy = 0.25;

}  // namespace divisi::module
