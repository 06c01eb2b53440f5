// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

namespace divisi::bench {

using Point = std::vector<double>;

struct Minimum {
    Point at;
    double value = 0;
    int evaluations = 0;
};

/// Minimizes with the downhill simplex of Nelder and Mead, Computer Journal 7 (1965). Restarts from its result until a
/// restart gains less than a thousandth or `most_evaluations` are spent. Deterministic; finds a local minimum.
Minimum minimize(const std::function<double(const Point&)>& function, Point start, double first_move,
                 int most_evaluations);

/// Returns the coefficients for which the terms of each row (one row per observation) sum to 1 with the least square
/// error. If the terms are divided by the observed value, this is the least relative error. Solves the normal
/// equations.
Point least_squares_to_one(const std::vector<Point>& terms);

}  // namespace divisi::bench
