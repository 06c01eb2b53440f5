// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

namespace divisi::module {

/// The values of one figure over the last periods, prepared for modules: gaps are filled, outliers are replaced, and
/// all values are finite.
class Window {
public:
    /// `length` is in periods. A gap longer than `most_gap` periods empties the window: older values do not describe
    /// the present.
    Window() : Window(12, 5) {}
    Window(std::size_t length, std::size_t most_gap) : length_(length), most_gap_(most_gap) {}

    /// Adds the value of one period. A value that is absent or not finite counts as missing.
    void add(std::optional<double> value);
    /// Returns the number of values and filled gaps.
    std::size_t size() const { return raw_.size(); }
    bool empty() const { return raw_.empty(); }

    /// Returns the values, oldest first. A gap is filled with the previous value. An outlier is replaced by the median
    /// of the five values around it (Hampel's filter). A value is an outlier if it differs from that median by more
    /// than three standard deviations, estimated by the median absolute deviation.
    std::vector<double> cleaned() const;
    /// Returns the cleaned values as distances from their mean, in standard deviations; all 0 if they are equal.
    std::vector<double> normalized() const;

private:
    std::size_t length_, most_gap_;
    std::size_t gap_ = 0;  ///< number of periods since the last value
    std::deque<double> raw_;
};

double median(std::vector<double> values);  ///< 0 if empty; for an even number of values, the larger one of the middle
                                            ///< two

}  // namespace divisi::module
