// SPDX-License-Identifier: Apache-2.0
#include "agents/module/share_advice.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace divisi::module {

std::vector<control::Advice> advise_share(const RouteWindows& route, const ShareAdvice& wanted) {
    const auto about = [&](std::string from, std::string to) {
        return control::Advice{control::AdviceKind::path_priority,
                               std::move(from),
                               std::move(to),
                               wanted.share,
                               wanted.confidence,
                               wanted.valid_ms,
                               wanted.reason};
    };
    if (!route.shared) return {about(route.from, route.to)};
    std::vector<control::Advice> all;
    for (const auto& [source, destination] : route.flows) all.push_back(about(source.value(), destination.value()));
    return all;
}

std::int64_t share_by_rates(double first, double second) {
    if (!(first + second > 0)) return 50;
    constexpr int step = 5;
    return std::clamp<std::int64_t>(step * std::llround(100 / step * first / (first + second)), 10, 90);
}

std::string rate_text(double bytes_per_s) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g MB/s", bytes_per_s / 1e6);
    return text;
}

}  // namespace divisi::module
