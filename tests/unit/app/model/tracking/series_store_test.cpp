// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/series_store.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/test_program.h"

namespace series_store_test {

using namespace divisi::model;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

void fill(Series& series, const std::vector<Sample>& samples) {
    for (const Sample& sample : samples) series.append(sample.x, sample.y);
}

/// Returns samples with uneven distances, including bursts and pauses.
std::vector<Sample> random_samples(int count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> y(-1, 1), step(0, 1);
    std::vector<Sample> samples;
    double x = 0;
    for (int i = 0; i < count; ++i) {
        x += i % 500 == 0 ? 100 * step(random) : step(random);
        samples.push_back({x, y(random)});
    }
    return samples;
}

/// Checks the view's rules by looking at every sample.
bool holds(const SeriesView& view, const std::vector<Sample>& samples, double from, double to, int columns) {
    const double width = (to - from) / columns;
    std::vector<double> low(static_cast<std::size_t>(columns) + 2, 1e300), high(low.size(), -1e300), seen_low = low,
                                                                                                     seen_high = high;
    std::vector<int> kept(low.size(), 0);
    const auto column = [&](double x) {
        return static_cast<std::size_t>(std::clamp((x - from) / width, 0.0, columns - 1.0)) + 1;
    };
    std::int64_t inside = 0;
    for (const Sample& one : samples) {
        if (one.x < from || one.x > to) continue;
        ++inside;
        low[column(one.x)] = std::min(low[column(one.x)], one.y);
        high[column(one.x)] = std::max(high[column(one.x)], one.y);
    }
    double before = -1e300;
    for (const Sample& one : view.samples) {
        if (one.x < before || std::find(samples.begin(), samples.end(), one) == samples.end()) return false;
        before = one.x;
        if (one.x < from || one.x > to) continue;
        ++kept[column(one.x)];
        seen_low[column(one.x)] = std::min(seen_low[column(one.x)], one.y);
        seen_high[column(one.x)] = std::max(seen_high[column(one.x)], one.y);
    }
    for (std::size_t i = 1; i + 1 < low.size(); ++i) {
        if (low[i] > high[i]) continue;  // an empty column
        // A sample at a border may be drawn in the next column.
        if (std::min({seen_low[i - 1], seen_low[i], seen_low[i + 1]}) > low[i]) return false;
        if (std::max({seen_high[i - 1], seen_high[i], seen_high[i + 1]}) < high[i]) return false;
        if (inside > 2 * columns && kept[i] > 2) return false;
    }
    return true;
}

}  // namespace

class SeriesStoreTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void every_view_matches_all_samples() {
        SeriesStore store;
        Series& series = store.series("a");
        const std::vector<Sample> samples = random_samples(20000, 1);
        fill(series, samples);
        QVERIFY(store.spilled_pages() > 0);  // otherwise the file would not be tested
        std::mt19937 random(2);
        std::uniform_real_distribution<double> share(0, 1);
        const double end = samples.back().x;
        for (int i = 0; i < 40; ++i) {
            double from = end * share(random), to = end * share(random);
            if (i % 4 == 0) to = from + (to - from) / 1000;
            if (i == 0) from = 0, to = end;
            if (from > to) std::swap(from, to);
            const int columns = 1 + static_cast<int>(900 * share(random));
            const SeriesView view = series.view(from, to, columns);
            QVERIFY2(holds(view, samples, from, to, columns), qPrintable(QString::number(i)));
            QVERIFY(view.samples.size() <= 2 * static_cast<std::size_t>(columns) + 4);
        }
    }

    void single_spike_in_a_million_samples_is_visible_at_every_zoom() {
        SeriesStore store;
        Series& series = store.series("a");
        constexpr int count = 1000000, spike = 654321;
        for (int i = 0; i < count; ++i) series.append(i, i == spike ? 99 : std::sin(0.01 * i));
        for (double width = count; width >= 20; width /= 3) {
            const double from = std::max(0.0, spike - width / 2), to = from + width;
            const SeriesView view = series.view(from, to, 800);
            QVERIFY(view.samples.size() <= 1604);
            QVERIFY2(std::find(view.samples.begin(), view.samples.end(), Sample{spike, 99}) != view.samples.end(),
                     qPrintable(QString::number(width)));
        }
        QCOMPARE(series.size(), count);
        QCOMPARE(*series.at(spike), (Sample{spike, 99}));
        QCOMPARE(series.index_of(spike), spike);
        QCOMPARE(*series.nearest(spike + 0.4), (Sample{spike, 99}));
        QCOMPARE(series.range(spike, spike), (std::vector<Sample>{{spike, 99}}));
    }

    void non_numbers_are_counted_and_kept() {
        SeriesStore store;
        Series& series = store.series("a");
        for (int i = 0; i < 10000; ++i) series.append(i, i == 5000 || i == 5001 ? not_a_number : 1);
        const SeriesView view = series.view(0, 9999, 100);
        QCOMPARE(view.broken, 2);
        QCOMPARE(
            std::count_if(view.samples.begin(), view.samples.end(), [](const Sample& s) { return std::isnan(s.y); }),
            1);
        QVERIFY(std::any_of(view.samples.begin(), view.samples.end(),
                            [](const Sample& s) { return s.x == 5000 && std::isnan(s.y); }));
        Series& none = store.series("b");
        for (int i = 0; i < 1000; ++i) none.append(i, -std::numeric_limits<double>::infinity());
        const SeriesView all = none.view(0, 999, 10);
        QCOMPARE(all.broken, 1000);
        QCOMPARE(all.samples.size(), 10u);
        QVERIFY(std::isinf(all.samples.front().y) && all.samples.front().y < 0);
    }

    void curve_continues_after_a_training_went_back() {
        SeriesStore store;
        Series &went_back = store.series("a"), &straight = store.series("b");
        const std::vector<Sample> samples = random_samples(6000, 3);
        for (const std::size_t to : {5999u, 4096u, 3000u, 17u, 16u, 15u, 1u}) {
            went_back.cut_from(-1);
            fill(went_back, samples);
            went_back.cut_from(samples[to].x);
            QCOMPARE(went_back.size(), static_cast<std::int64_t>(to));
            QCOMPARE(*went_back.last_x(), samples[to - 1].x);
            for (std::size_t i = to; i < samples.size(); ++i) went_back.append(samples[i].x, -samples[i].y);
            straight.cut_from(-1);
            for (std::size_t i = 0; i < samples.size(); ++i)
                straight.append(samples[i].x, i < to ? samples[i].y : -samples[i].y);
            const double end = samples.back().x;
            QCOMPARE(went_back.view(0, end, 50).samples, straight.view(0, end, 50).samples);
            QCOMPARE(went_back.range(0, end), straight.range(0, end));
        }
    }

    void view_includes_the_samples_next_to_its_range() {
        SeriesStore store;
        Series& series = store.series("a");
        fill(series, {{0, 1}, {10, 2}, {20, 3}, {30, 4}});
        QCOMPARE(series.view(12, 18, 100).samples, (std::vector<Sample>{{10, 2}, {20, 3}}));
        QCOMPARE(series.view(10, 20, 100).samples, (std::vector<Sample>{{0, 1}, {10, 2}, {20, 3}, {30, 4}}));
        QCOMPARE(series.view(10, 20, 100).column, 0.0);
        QVERIFY(series.view(20, 10, 100).samples.empty());
        QVERIFY(store.series("empty").view(0, 1, 10).samples.empty());
        QCOMPARE(*series.first_x(), 0.0);
    }

    void an_hour_of_64_series_at_10_Hz_keeps_memory_flat() {
        SeriesStore store;
        std::vector<Series*> all;
        for (int i = 0; i < 64; ++i) all.push_back(&store.series("series " + std::to_string(i)));
        std::size_t half = 0;
        for (int tick = 0; tick < 36000; ++tick) {  // each tick is a tenth of a second
            for (Series* one : all) one->append(0.1 * tick, tick % 100);
            if (tick == 18000) half = store.memory_bytes();
        }
        QVERIFY(store.spilled_pages() > 64 * 60);
        QVERIFY2(store.memory_bytes() < half * 105 / 100, qPrintable(QString::number(store.memory_bytes())));
        QVERIFY(store.memory_bytes() < 64u << 20);
        QCOMPARE(all.back()->size(), 36000);
        QCOMPARE(all.front()->at(0)->y, 0.0);
    }

    void full_disk_loses_details_but_no_peaks() {
        SeriesStore store(QStringLiteral("/nonexistent"));
        Series& series = store.series("a");
        for (int i = 0; i < 50000; ++i) series.append(i, i == 777 ? 99 : 0);
        QVERIFY2(store.problem().contains(QStringLiteral("/nonexistent")), qPrintable(store.problem()));
        QVERIFY(!series.at(777));
        const SeriesView view = series.view(0, 49999, 500);
        QVERIFY(std::find(view.samples.begin(), view.samples.end(), Sample{777, 99}) != view.samples.end());
        QCOMPARE(*series.at(49999), (Sample{49999, 0}));
    }

    void curves_are_found_and_forgotten_by_name() {
        SeriesStore store;
        for (const char* name : {"gpt-1|loss", "gpt-1|speed", "gpt-10|loss"}) store.series(name).append(0, 1);
        QCOMPARE(store.names("gpt-1|").size(), 2u);
        const auto held = store.find("gpt-1|loss");
        store.forget("gpt-1|");
        QVERIFY(!store.find("gpt-1|loss"));
        QVERIFY(store.find("gpt-10|loss"));
        QCOMPARE(held->size(), 1);  // a chart that still holds the series can use it
    }
};

DIVISI_WINDOW_TEST(SeriesStoreTest)

}  // namespace series_store_test

#include "series_store_test.moc"
