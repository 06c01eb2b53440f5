// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace divisi::bench {

/// The predicted and the measured step time of one plan, in the same unit, both above 0.
struct Pair {
    double predicted = 0, measured = 0;
};

/// Measures how well predictions agree with measurements.
struct Agreement {
    double mean_error = 0;        ///< mean of |predicted - measured| / measured
    double p95_error = 0;         ///< nearest rank: 95 % of the errors are at most this error
    double rank_correlation = 0;  ///< Spearman's; equal values share their mean rank; NaN if all are equal
};

/// Returns the median; for an even number of values, the mean of the middle two; for an empty list, NaN.
double median(std::vector<double> values);

/// Returns the median of the lower half without the middle value. For fewer than two values, returns their median.
double lower_quartile(std::vector<double> values);

/// Returns the median of measured / predicted: the factor common to all plans if the machine is now faster or slower
/// than when it was profiled. Returns NaN for no pairs.
double common_factor(const std::vector<Pair>& pairs);

/// Returns |predicted * factor - measured| / measured.
double relative_error(const Pair& pair, double factor = 1);

/// Compares predictions times `factor` with the measurements; all NaN for no pairs.
Agreement agreement(const std::vector<Pair>& pairs, double factor = 1);

}  // namespace divisi::bench
