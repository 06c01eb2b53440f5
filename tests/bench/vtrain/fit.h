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

/// The downhill simplex of Nelder and Mead, Computer Journal 7 (1965), started anew from its result until that gains
/// less than a thousandth or `most_evaluations` are spent. Deterministic; a local minimum.
Minimum minimize(const std::function<double(const Point&)>& function, Point start, double first_move,
                 int most_evaluations);

/// Coefficients of the terms (one row of them per observation) whose sum is 1 with the least square error: with terms
/// divided by what was observed, the least relative error. By the normal equations.
Point least_squares_to_one(const std::vector<Point>& terms);

}  // namespace divisi::bench
