// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/prediction/agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace divisi::bench {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Returns the ranks of the values, from 0.
std::vector<double> ranks(const std::vector<double>& values) {
    std::vector<double> sorted = values, result;
    std::sort(sorted.begin(), sorted.end());
    for (const double value : values) {
        const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
        result.push_back(static_cast<double>(first - sorted.begin() + last - sorted.begin() - 1) / 2);
    }
    return result;
}

/// Returns Pearson's correlation of the ranks, which equals Spearman's correlation even if some values are equal.
double rank_correlation(const std::vector<double>& left, const std::vector<double>& right) {
    const std::vector<double> a = ranks(left), b = ranks(right);
    const double middle = static_cast<double>(a.size() - 1) / 2;
    double both = 0, left_squares = 0, right_squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both += (a[i] - middle) * (b[i] - middle);
        left_squares += (a[i] - middle) * (a[i] - middle);
        right_squares += (b[i] - middle) * (b[i] - middle);
    }
    const double scale = std::sqrt(left_squares * right_squares);
    return scale > 0 ? both / scale : none;
}

}  // namespace

double median(std::vector<double> values) {
    if (values.empty()) return none;
    std::sort(values.begin(), values.end());
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

double lower_quartile(std::vector<double> values) {
    if (values.size() < 2) return median(std::move(values));
    std::sort(values.begin(), values.end());
    values.resize(values.size() / 2);
    return median(std::move(values));
}

double common_factor(const std::vector<Pair>& pairs) {
    std::vector<double> ratios;
    for (const Pair& pair : pairs) ratios.push_back(pair.measured / pair.predicted);
    return median(ratios);
}

double relative_error(const Pair& pair, double factor) {
    return std::abs(pair.predicted * factor - pair.measured) / pair.measured;
}

Agreement agreement(const std::vector<Pair>& pairs, double factor) {
    if (pairs.empty()) return {none, none, none};
    std::vector<double> errors, predicted, measured;
    for (const Pair& pair : pairs) {
        errors.push_back(relative_error(pair, factor));
        predicted.push_back(pair.predicted);
        measured.push_back(pair.measured);
    }
    std::sort(errors.begin(), errors.end());
    const std::size_t rank = (95 * errors.size() + 99) / 100;  // ceil(0.95 n), counted from 1
    return {mean(errors), errors[rank - 1], rank_correlation(predicted, measured)};
}

}  // namespace divisi::bench
