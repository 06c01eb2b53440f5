// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/vtrain/fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace divisi::bench {

namespace {

/// The search restarts if the last start gained at least this share.
constexpr double worthwhile_gain = 1e-3;
/// A simplex has collapsed if its values differ by less than this share.
constexpr double collapsed = 1e-5;

struct Vertex {
    Point at;
    double value = 0;
    bool operator<(const Vertex& other) const { return value < other.value; }
};

class Simplex {
public:
    Simplex(const std::function<double(const Point&)>& function, const Point& start, double move)
        : function_(function) {
        vertices_.push_back(evaluate(start));
        for (std::size_t i = 0; i < start.size(); ++i) {
            Point moved = start;
            moved[i] += move;
            vertices_.push_back(evaluate(std::move(moved)));
        }
        std::sort(vertices_.begin(), vertices_.end());
    }

    void step() {
        const Vertex reflected = beyond_worst(1);
        if (reflected < vertices_.front()) replace_worst(std::min(reflected, beyond_worst(2)));
        else if (reflected < vertices_[vertices_.size() - 2]) replace_worst(reflected);
        else contract(reflected);
        std::sort(vertices_.begin(), vertices_.end());
    }

    bool done() const { return vertices_.back().value - vertices_.front().value <= collapsed * best().value; }
    const Vertex& best() const { return vertices_.front(); }
    int evaluations() const { return evaluations_; }

private:
    Vertex evaluate(Point at) {
        ++evaluations_;
        const double value = function_(at);
        return {std::move(at), value};
    }

    /// Returns a vertex on the line from the worst vertex through the centre of the others. Factor 1 mirrors the worst
    /// vertex, -0.5 moves it halfway to the centre.
    Vertex beyond_worst(double factor) {
        const std::size_t others = vertices_.size() - 1;
        Point at(others);
        for (std::size_t k = 0; k < others; ++k) {
            double centre = 0;
            for (std::size_t i = 0; i < others; ++i) centre += vertices_[i].at[k] / static_cast<double>(others);
            at[k] = centre + factor * (centre - vertices_.back().at[k]);
        }
        return evaluate(std::move(at));
    }

    void replace_worst(Vertex vertex) { vertices_.back() = std::move(vertex); }

    void contract(const Vertex& reflected) {
        const bool outside = reflected < vertices_.back();
        Vertex inner = beyond_worst(outside ? 0.5 : -0.5);
        if (inner < (outside ? reflected : vertices_.back())) return replace_worst(std::move(inner));
        const Point centre = best().at;
        for (std::size_t i = 1; i < vertices_.size(); ++i) {
            Point at = vertices_[i].at;
            for (std::size_t k = 0; k < at.size(); ++k) at[k] = (at[k] + centre[k]) / 2;
            vertices_[i] = evaluate(std::move(at));
        }
    }

    const std::function<double(const Point&)>& function_;
    std::vector<Vertex> vertices_;  ///< best first
    int evaluations_ = 0;
};

}  // namespace

Minimum minimize(const std::function<double(const Point&)>& function, Point start, double first_move,
                 int most_evaluations) {
    Minimum minimum{std::move(start), 0, 1};
    minimum.value = function(minimum.at);
    while (true) {
        Simplex simplex(function, minimum.at, first_move);
        while (!simplex.done() && minimum.evaluations + simplex.evaluations() < most_evaluations) simplex.step();
        const bool gained = simplex.best().value < minimum.value * (1 - worthwhile_gain);
        minimum = {simplex.best().at, simplex.best().value, minimum.evaluations + simplex.evaluations()};
        if (!gained || minimum.evaluations >= most_evaluations) return minimum;
    }
}

Point least_squares_to_one(const std::vector<Point>& terms) {
    const std::size_t n = terms.front().size();
    std::vector<Point> matrix(n, Point(n + 1));
    for (const Point& row : terms)
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) matrix[i][j] += row[i] * row[j];
            matrix[i][n] += row[i];
        }
    // Gauss-Jordan elimination needs no pivoting, because the matrix is positive definite.
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k) {
            if (k == i) continue;
            const double factor = matrix[k][i] / matrix[i][i];
            for (std::size_t j = i; j <= n; ++j) matrix[k][j] -= factor * matrix[i][j];
        }
    Point coefficients(n);
    for (std::size_t i = 0; i < n; ++i) coefficients[i] = matrix[i][n] / matrix[i][i];
    return coefficients;
}

}  // namespace divisi::bench
