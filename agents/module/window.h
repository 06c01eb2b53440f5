// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

namespace divisi::module {

/// One figure over the last periods, as modules look at it: gaps filled, outliers replaced, all values finite.
class Window {
public:
    /// `length` periods; a gap of more than `most_gap` of them empties it: what was before says nothing about now.
    Window() : Window(12, 5) {}
    Window(std::size_t length, std::size_t most_gap) : length_(length), most_gap_(most_gap) {}

    /// Of one period; none, or what is no number: it was not measured.
    void add(std::optional<double> value);
    /// Values and filled gaps.
    std::size_t size() const { return raw_.size(); }
    bool empty() const { return raw_.empty(); }

    /// Oldest first. A gap has the value before it. A value further than three standard deviations from the median of
    /// the five around it, estimated by the median absolute deviation, is replaced by that median (Hampel's filter).
    std::vector<double> cleaned() const;
    /// The cleaned values as distances from their mean in standard deviations; all 0 where they are equal.
    std::vector<double> normalized() const;

private:
    std::size_t length_, most_gap_;
    std::size_t gap_ = 0;  ///< periods since the last value
    std::deque<double> raw_;
};

double median(std::vector<double> values);  ///< 0 of none; of an even number the upper of the two in the middle

}  // namespace divisi::module
