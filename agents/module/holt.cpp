// SPDX-License-Identifier: Apache-2.0
#include "agents/module/holt.h"

#include <cmath>
#include <cstddef>

namespace divisi::module {

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
