// SPDX-License-Identifier: GPL-3.0-or-later
// Measures 64 curves at 10 Hz for an hour in 16 charts under software rendering. The clock is simulated, and painting
// is real. Prints the time to refresh all charts with the whole hour visible, from the series store and by thinning all
// samples (the baseline). Also prints the memory of the store after half an hour and at the end. Fails if painting ten
// times a second takes 60 % of a core, or if memory grows by 5 %.
#include <QApplication>
#include <QElapsedTimer>
#include <QGridLayout>
#include <QImage>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/charts/line_chart.h"
#include "app/model/tracking/series_store.h"

namespace {

using divisi::charts::LineChart;

constexpr int series_count = 64, chart_count = 16, hz = 10, hour = 3600 * hz, rounds = 20;

double value(int series, int tick) { return 50 + 40 * std::sin(0.001 * tick * (1 + series % 7)) + tick % (series + 2); }

struct Charts {
    QWidget window;
    std::vector<LineChart*> charts;
    Charts() {
        auto* grid = new QGridLayout(&window);
        for (int i = 0; i < chart_count; ++i) {
            charts.push_back(new LineChart(&window));
            grid->addWidget(charts.back(), i / 4, i % 4);
        }
        window.resize(1920, 1080);
        window.show();
        QCoreApplication::processEvents();
    }
    /// Returns the milliseconds that one refresh with its painting takes.
    double refresh(const std::vector<LineChart::Line>& lines) {
        QImage frame(window.size(), QImage::Format_ARGB32_Premultiplied);
        QElapsedTimer timer;
        timer.start();
        for (int i = 0; i < chart_count; ++i)
            charts[static_cast<std::size_t>(i)]->show_lines({lines.begin() + 4 * i, lines.begin() + 4 * i + 4}, {});
        window.render(&frame);
        return static_cast<double>(timer.nsecsElapsed()) / 1e6;
    }
};

}  // namespace

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    divisi::model::SeriesStore store;
    std::vector<LineChart::Line> from_store(series_count), from_points(series_count);
    std::size_t half = 0;
    QElapsedTimer appending;
    appending.start();
    for (int tick = 0; tick < hour; ++tick) {
        for (int i = 0; i < series_count; ++i) store.series(std::to_string(i)).append(0.1 * tick, value(i, tick));
        if (tick == hour / 2) half = store.memory_bytes();
    }
    const double append_us = static_cast<double>(appending.nsecsElapsed()) / 1e3 / hour;
    for (int i = 0; i < series_count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        from_store[at].series = store.find(std::to_string(i));
        for (const auto& sample : from_store[at].series->range(0, 3600))
            from_points[at].points << QPointF(sample.x, sample.y);
    }
    Charts charts;
    double with_store = 0, with_points = 0;
    charts.refresh(from_store);
    for (int round = 0; round < rounds; ++round) {
        with_store += charts.refresh(from_store) / rounds;
        with_points += charts.refresh(from_points) / rounds;
    }
    const double share = with_store * hz / 1000,
                 grown = static_cast<double>(store.memory_bytes()) / static_cast<double>(half);
    std::printf("refresh of 16 charts         %8.1f ms (thinning all samples: %.1f ms, %.1f times)\n", with_store,
                with_points, with_points / with_store);
    std::printf("appending to 64 series       %8.1f us\n", append_us);
    std::printf("share of a core at 10 Hz     %8.2f    (limit 0.60)\n", share);
    std::printf("memory, end to half          %8.3f    (limit 1.05)\n", grown);
    return share <= 0.6 && grown <= 1.05 ? 0 : 1;
}
