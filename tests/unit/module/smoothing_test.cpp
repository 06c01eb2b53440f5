// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <limits>

#include "agents/module/link_trend.h"
#include "agents/module/window.h"
#include "tests/support/test_program.h"
#include "tests/unit/module/smoothing_witness.h"

namespace smoothing_test {

using namespace divisi::module;

namespace {

Window window_of(const std::vector<double>& values) {
    Window window(values.size(), 3);
    for (const double value : values) window.add(value);
    return window;
}

bool alike(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (std::abs(a[i] - b[i]) > 1e-12 * std::max(1.0, std::abs(b[i]))) return false;
    return true;
}

}  // namespace

/// Compares cleaning, normalization and smoothing with tests/witness/smoothing.py.
class SmoothingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void windows_are_cleaned_and_normalized_like_the_reference();
    void trends_equal_the_reference();
    void window_keeps_only_the_newest_values();
    void gaps_are_filled_and_long_ones_restart_the_window();
    void non_finite_value_is_a_gap();
};

void SmoothingTest::windows_are_cleaned_and_normalized_like_the_reference() {
    for (const auto& series : test::smoothed_series) {
        const Window window = window_of(series.values);
        QVERIFY2(alike(window.cleaned(), series.cleaned), series.name);
        QVERIFY2(alike(window.normalized(), series.normalized), series.name);
    }
}

void SmoothingTest::trends_equal_the_reference() {
    for (const auto& series : test::smoothed_series)
        for (const std::vector<double>& row : series.holt) {
            const Trend trend = smooth(series.values, {row[0], row[1], row[2]});
            QVERIFY2(
                alike({trend.level, trend.trend, trend.error, trend.forecast(3)}, {row[3], row[4], row[5], row[6]}),
                series.name);
        }
}

void SmoothingTest::window_keeps_only_the_newest_values() {
    Window window(4, 2);
    for (int i = 1; i <= 9; ++i) window.add(i);
    QCOMPARE(window.size(), std::size_t{4});
    QVERIFY(alike(window.cleaned(), {6, 7, 8, 9}));
}

void SmoothingTest::gaps_are_filled_and_long_ones_restart_the_window() {
    Window window(8, 2);
    window.add(std::nullopt);
    QVERIFY(window.empty());  // no earlier value to fill the gap
    window.add(5);
    window.add(std::nullopt);
    window.add(std::nullopt);
    window.add(7);
    QVERIFY(alike(window.cleaned(), {5, 5, 5, 7}));
    for (int i = 0; i < 3; ++i) window.add(std::nullopt);
    QVERIFY(window.empty());
    window.add(9);
    QVERIFY(alike(window.cleaned(), {9}));
}

void SmoothingTest::non_finite_value_is_a_gap() {
    Window window(8, 2);
    window.add(5);
    window.add(std::numeric_limits<double>::quiet_NaN());
    window.add(std::numeric_limits<double>::infinity());
    QVERIFY(alike(window.cleaned(), {5, 5, 5}));
}

DIVISI_TEST(SmoothingTest)

}  // namespace smoothing_test

#include "smoothing_test.moc"
