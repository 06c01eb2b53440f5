// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace divisi::bench {

/// The time of one plan's step, as predicted and as measured; the same unit, both above 0.
struct Pair {
    double predicted = 0, measured = 0;
};

/// How well predictions agree with what was measured.
struct Agreement {
    double mean_error = 0;        ///< mean of |predicted - measured| / measured
    double p95_error = 0;         ///< 95 % of the errors are at most this one, which is one of them (nearest rank)
    double rank_correlation = 0;  ///< Spearman's, equal values sharing their mean rank; NaN where all are equal
};

/// Of an even number of values the mean of the middle two; NaN of none.
double median(std::vector<double> values);

/// The median of the lower half, the middle value left out; of fewer than two values the median.
double lower_quartile(std::vector<double> values);

/// The median of measured / predicted: the one factor that a machine faster or slower than when it was profiled
/// puts on all plans alike. NaN of no pairs.
double common_factor(const std::vector<Pair>& pairs);

/// |predicted * factor - measured| / measured.
double relative_error(const Pair& pair, double factor = 1);

/// Of predictions times `factor`; all NaN for no pairs.
Agreement agreement(const std::vector<Pair>& pairs, double factor = 1);

}  // namespace divisi::bench
