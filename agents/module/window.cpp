// SPDX-License-Identifier: Apache-2.0
#include "agents/module/window.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace divisi::module {
namespace {

constexpr std::size_t half_width = 2;
/// `deviations`: standard deviation of a normal distribution divided by its median absolute deviation. `outlier`:
/// number of standard deviations beyond which a value is an outlier.
constexpr double deviations = 1.4826, outlier = 3;

}  // namespace

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

void Window::add(std::optional<double> value) {
    const bool measured = value && std::isfinite(*value);
    gap_ = measured ? 0 : gap_ + 1;
    if (gap_ > most_gap_) raw_.clear();
    if (!measured && raw_.empty()) return;
    raw_.push_back(measured ? *value : raw_.back());
    if (raw_.size() > length_) raw_.pop_front();
}

std::vector<double> Window::cleaned() const {
    std::vector<double> values(raw_.begin(), raw_.end());
    for (std::size_t i = 0; i < raw_.size(); ++i) {
        const std::size_t from = i - std::min(i, half_width), to = std::min(raw_.size(), i + half_width + 1);
        std::vector<double> around(raw_.begin() + static_cast<std::ptrdiff_t>(from),
                                   raw_.begin() + static_cast<std::ptrdiff_t>(to));
        // Near the ends there are too few neighbours to distinguish an outlier from a change.
        if (around.size() < 2 * half_width + 1) continue;
        const double middle = median(around);
        for (double& one : around) one = std::abs(one - middle);
        if (std::abs(raw_[i] - middle) > outlier * deviations * median(around)) values[i] = middle;
    }
    return values;
}

std::vector<double> Window::normalized() const {
    std::vector<double> values = cleaned();
    if (values.empty()) return values;
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double squares = 0;
    for (double& one : values) {
        one -= mean;
        squares += one * one;
    }
    const double spread = std::sqrt(squares / count);
    for (double& one : values) one = spread > 0 ? one / spread : 0;
    return values;
}

}  // namespace divisi::module
