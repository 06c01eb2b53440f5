// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "agents/module/module.h"

namespace divisi::module {

/// Double exponential smoothing (Holt 1957) with a damped trend (Gardner and McKenzie 1985):
///
///     level_t = a y_t + (1 - a) (level_{t-1} + p trend_{t-1})
///     trend_t = b (level_t - level_{t-1}) + (1 - b) p trend_{t-1}
///
/// `damping` p is 1 in Holt's original method. The initial level is the first value, the initial trend is zero.
struct HoltRates {
    double level = 0.5, trend = 0.3, damping = 1;
};
struct Trend {
    double level = 0, trend = 0;
    double error = 0;  ///< mean absolute error of the forecasts for the next period that were made during smoothing
    double damping = 1;
    /// Returns the forecast this many periods ahead: level + (p + p^2 + ...) trend.
    double forecast(int periods) const;
};
/// Smooths values at equal distances in time, oldest first; needs at least one value.
Trend smooth(std::span<const double> values, const HoltRates& rates);

struct LinkTrendOptions {
    HoltRates rates;
    int horizon = 4;          ///< number of periods that the forecast looks ahead
    bool checkpoint = false;  ///< whether to order a checkpoint of the tasks whose path degrades (not when the path
                              ///< recovers)
};

/// Predicts degrading links. Smooths the rate of each path and the round trips of its links by Holt's method. If a
/// path's forecast is below the best rate measured on the path, the module advises to divide the tensors according to
/// the forecasts for both paths. The advice comes earlier than the reaction of the orchestrator's own loop, which waits
/// until a rate has fallen to half.
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
        double best = 0;                    ///< highest rate of the path, with slow decay
        std::optional<std::int64_t> share;  ///< the advised share
        double ahead = 0;                   ///< forecast rate of the path when the share was advised
        std::size_t path = 0;               ///< index of the watched path: the main path before the share was advised
        TimePoint given{}, quiet_until{};
    };
    std::optional<Trend> trend_of(const Window& window) const;
    std::vector<control::Advice> assess(const RouteWindows& route, Standing& standing, const Features& features);
    std::string slowest_link(const std::vector<std::string>& devices, const Features& features) const;

    LinkTrendOptions options_;
    std::map<Features::Ends, Standing> standings_;
    std::set<TaskId> endangered_;  ///< tasks for which to order a checkpoint
};

/// A path degrades if its forecast is below `degrades_below` times its best rate. It has recovered if the forecast is
/// above `well_above` times the best rate.
inline constexpr double degrades_below = 0.85, well_above = 0.95;
/// A decrease of the rate counts only if it is at least `sureness` times the mean error of the forecasts. That error
/// must be at most `most_error` times the rate. From second to second, the rate of a slow link varies by a twentieth.
/// The rate of a link whose devices wait for processors varies by a third.
inline constexpr double sureness = 2, most_error = 0.2;
/// Busy fraction below which a path is assumed to cause no delay.
inline constexpr double least_busy = 0.25;

}  // namespace divisi::module
