// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "agents/module/module.h"

namespace divisi::module {

/// Compute-aware routing: weighs the two paths of a route by how much their hops can take, and advises to avoid nodes
/// whose processors others use. A second path gains nothing where the instances at its ends compute all the time, so it
/// is only advised where they wait while a path is busy; what the steps show afterwards decides whether it stays.
class ComputeRouting : public Module {
public:
    control::ModuleInfo describe() const override;
    std::vector<control::Advice> advise(const Features& features) override;
    void hear(const control::AdviceEcho& echo) override;

private:
    struct Standing {
        std::optional<std::int64_t> share;  ///< that is advised
        TimePoint given{}, quiet_until{};
        Duration patience{};  ///< after an advice that gained nothing
    };
    std::vector<control::Advice> balance(const RouteWindows& route, const RouteWindows* back, Standing& standing,
                                         const Features& features);
    static std::vector<control::Advice> balance_back(const RouteWindows& route, Standing& standing,
                                                     const Features& features);
    std::vector<control::Advice> avoid(const Features& features) const;

    std::map<Features::Ends, Standing> standings_;
    TimePoint now_{};
};

/// What a path carries, by its hop that is busiest: only there its rate is the path's.
struct PathLoad {
    double busy = 0;
    std::vector<double> rates;  ///< bytes a second while it was busy, the newest last; without them nobody knows it
};
PathLoad load_of(const PathWindows& path, const Features& features);
/// A path is the bottleneck that is busy for so much of the time: where tensors and gradients take turns, each way is
/// idle for half of it at least. Dealt to two paths, each is busy for half as long.
inline constexpr double saturated = 0.35, still_used = 0.1;
/// Of the time, in which the busiest instance of a route computes: above it, steps take as long as it does.
inline constexpr double most_compute = 0.75, most_compute_while_advised = 0.95;
/// Of its processors, that others use on a node that is to be avoided, and on one that is free of them.
inline constexpr double foreign_load = 0.5, little_foreign_load = 0.25;
/// An advice that makes a step no faster than this part of before is no gain.
inline constexpr double least_gain = 0.95;

}  // namespace divisi::module
