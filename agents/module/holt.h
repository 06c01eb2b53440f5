// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace divisi::module {

/// Double exponential smoothing (Holt 1957) with a damped trend (Gardner and McKenzie 1985):
///     level_t = a y_t + (1 - a) (level_{t-1} + p trend_{t-1})
///     trend_t = b (level_t - level_{t-1}) + (1 - b) p trend_{t-1}
/// `damping` p is 1 for Holt's own. It begins with the first value as its level, and no trend.
struct HoltRates {
    double level = 0.5, trend = 0.3, damping = 1;
};
struct Trend {
    double level = 0, trend = 0;
    double error = 0;  ///< mean absolute error of the forecasts of one period ahead, as they were made on the way
    double damping = 1;
    /// So many periods ahead: level + (p + p^2 + ...) trend.
    double forecast(int periods) const;
};
/// Of values at equal distances, oldest first; at least one.
Trend smooth(std::span<const double> values, const HoltRates& rates);

}  // namespace divisi::module
