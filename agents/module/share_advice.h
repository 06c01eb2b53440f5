// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "agents/module/features.h"

namespace divisi::module {

/// What a module wants of a route.
struct ShareAdvice {
    std::int64_t share = 100;
    double confidence = 0;
    std::int64_t valid_ms = 0;
    std::string reason;
};
/// Of all flows of the route at once; where it is shared with tasks that are to be left out, of each flow by itself.
std::vector<control::Advice> advise_share(const RouteWindows& route, const ShareAdvice& wanted);

/// By which first path each of two paths gets tensors as it can carry them, in percent, a multiple of 5 from 10 to 90:
/// a path without any would not be measured.
std::int64_t share_by_rates(double first, double second);

/// "20.1 MB/s"
std::string rate_text(double bytes_per_s);

}  // namespace divisi::module
