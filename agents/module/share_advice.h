// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "agents/module/features.h"

namespace divisi::module {

/// The share that a module advises for a route.
struct ShareAdvice {
    std::int64_t share = 100;
    double confidence = 0;
    std::int64_t valid_ms = 0;
    std::string reason;
};
/// Returns advice for all flows of the route at once. If tasks for which the module is off also use the route, returns
/// advice for each flow separately.
std::vector<control::Advice> advise_share(const RouteWindows& route, const ShareAdvice& wanted);

/// Returns the share of the first path in percent, in proportion to the rates of the two paths. The result is a
/// multiple of 5 from 10 to 90, so that both paths get tensors and can be measured.
std::int64_t share_by_rates(double first, double second);

/// Returns a rate as text, for example "20.1 MB/s".
std::string rate_text(double bytes_per_s);

}  // namespace divisi::module
