// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "agents/module/module.h"

namespace divisi::module {

/// Compute-aware routing. Compares the capacity of the hops on a route's two paths, and advises to avoid nodes whose
/// processors other programs use. A second path gains nothing if the instances at its ends compute all the time. A
/// second path is therefore advised only if these instances wait while a path is busy. The measured step times then
/// decide whether the advice is kept.
class ComputeRouting : public Module {
public:
    control::ModuleInfo describe() const override;
    std::vector<control::Advice> advise(const Features& features) override;
    void hear(const control::AdviceEcho& echo) override;

private:
    struct Standing {
        std::optional<std::int64_t> share;  ///< the advised share
        TimePoint given{}, quiet_until{};
        Duration patience{};  ///< length of the pause after advice that gained nothing
    };
    std::vector<control::Advice> balance(const RouteWindows& route, const RouteWindows* back, Standing& standing,
                                         const Features& features);
    static std::vector<control::Advice> balance_back(const RouteWindows& route, Standing& standing,
                                                     const Features& features);
    std::vector<control::Advice> avoid(const Features& features) const;

    std::map<Features::Ends, Standing> standings_;
    TimePoint now_{};
};

/// Load of a path: the load of its busiest hop, which limits the rate of the path.
struct PathLoad {
    double busy = 0;
    std::vector<double> rates;  ///< bytes per second while the path was busy, the newest last; empty: unknown
};
PathLoad load_of(const PathWindows& path, const Features& features);
/// Fractions of time in which a path is busy. A path above `saturated` is the bottleneck. Two paths that share the
/// traffic are no bottleneck while both are below `still_used`. When tensors and gradients alternate, each direction is
/// idle at least half of the time. If the traffic is divided between two paths, each path is busy for at most a quarter
/// of the time.
inline constexpr double saturated = 0.35, still_used = 0.1;
/// Limits on the fraction of time in which a route's busiest instance computes, before and while a share is advised.
/// Above the limit, this instance's computing time determines the step time, and a second path gains nothing.
inline constexpr double most_compute = 0.75, most_compute_while_advised = 0.95;
/// Fraction of a node's processors used by other programs: from the first value on, the node is avoided; up to the
/// second value, it counts as free.
inline constexpr double foreign_load = 0.5, little_foreign_load = 0.25;
/// Advice counts as a gain only if steps take less than this fraction of the time before.
inline constexpr double least_gain = 0.95;

}  // namespace divisi::module
