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
    bool checkpoint = false;  ///< of tasks whose path gets worse one is ordered, not where it recovers
};

/// Sees links coming that degrade: smooths what each path carries, and its links' round trips, by Holt's method. Where
/// a path is on its way below what it has carried, it advises to deal the tensors to both paths as they will carry
/// them, ahead of it; the orchestrator's own loop moves only what has fallen to a half.
class LinkTrend : public Module {
public:
    explicit LinkTrend(const LinkTrendOptions& options) : options_(options) {}

    control::ModuleInfo describe() const override;
    std::vector<control::Advice> advise(const Features& features) override;
    void hear(const control::AdviceEcho& echo) override;
    std::vector<Question> ask(const Features& features) override;

private:
    /// What is known of a route beyond its windows.
    struct Standing {
        double best = 0;                    ///< that the path has carried; fades slowly
        std::optional<std::int64_t> share;  ///< that is advised
        double ahead = 0;                   ///< what it was advised for: that the path will carry
        std::size_t path = 0;               ///< that degrades
        TimePoint given{}, quiet_until{};
    };
    std::optional<Trend> trend_of(const Window& window) const;
    std::vector<control::Advice> look(const RouteWindows& route, Standing& standing, const Features& features);
    std::string slowest_link(const std::vector<std::string>& devices, const Features& features) const;

    LinkTrendOptions options_;
    std::map<Features::Ends, Standing> standings_;
    std::set<TaskId> endangered_;  ///< tasks of which a checkpoint is to be ordered
};

/// It degrades where the forecast falls below this part of its best, and is well again above that.
inline constexpr double degrades_below = 0.85, well_above = 0.95;
/// By so many mean errors of the forecasts it must fall, and they must be no larger part of the rate: a link that is
/// slowed down moves by a twentieth from second to second, one that waits for processors by a third.
inline constexpr double sureness = 2, most_error = 0.2;
/// A path that is idle for most of the time holds nobody up.
inline constexpr double least_busy = 0.25;

}  // namespace divisi::module
