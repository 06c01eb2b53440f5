// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

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

}  // namespace divisi::module
