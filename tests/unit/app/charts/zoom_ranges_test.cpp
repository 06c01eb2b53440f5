// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/zoom_ranges.h"

#include <QSignalSpy>

#include "tests/support/test_program.h"

namespace zoom_ranges_test {

using namespace divisi;
using namespace divisi::charts;

namespace {

const TaskId first("mlp-1"), second("mlp-2");
using Range = ZoomRanges::Range;

/// A grid whose charts all have a line from 0 to 600.
struct Drawn {
    ChartGrid grid;
    ZoomRanges zoom{grid};

    Drawn() {
        LineChart::Line line;
        line.points = {{0, 1}, {300, 2}, {600, 3}};
        for (const Chart which : grid.charts()) grid.chart(which).show_lines({line}, {});
    }
};

}  // namespace

class ZoomRangesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void charts_of_the_same_axis_zoom_together() {
        Drawn drawn;
        const QSignalSpy chosen(&drawn.zoom, &ZoomRanges::stepsChosen);
        Q_EMIT drawn.grid.chart(Chart::speed).rangeChosen(100, 200);
        QCOMPARE(drawn.zoom.shown_steps(), std::optional(Range(100, 200)));
        QCOMPARE(drawn.grid.chart(Chart::step_time).shown_range(), Range(100, 200));
        QVERIFY(!drawn.grid.busy().zoomed());
        QCOMPARE(chosen.size(), 1);
        Q_EMIT drawn.grid.chart(Chart::wait).rangeChosen(50, 60);
        QCOMPARE(drawn.grid.busy().shown_range(), Range(50, 60));
        QCOMPARE(chosen.size(), 1);  // emitted only for ranges of steps
        Q_EMIT drawn.grid.chart(Chart::speed).rangeReset();
        QVERIFY(!drawn.zoom.shown_steps() && drawn.grid.busy().zoomed());
        QCOMPARE(chosen.size(), 2);
    }

    void show_all_ends_a_zoom_and_a_zoom_ends_show_all() {
        Drawn drawn;
        drawn.zoom.show_all(true);
        QVERIFY(drawn.zoom.whole() && drawn.zoom.shows_all() && drawn.grid.busy().whole());
        Q_EMIT drawn.grid.chart(Chart::busy).rangeChosen(50, 60);
        QVERIFY(drawn.zoom.whole() && !drawn.zoom.shows_all());
        drawn.zoom.show_all(true);
        QVERIFY(drawn.zoom.shows_all() && !drawn.grid.busy().zoomed());
        drawn.zoom.show_all(false);
        QVERIFY(!drawn.zoom.whole() && !drawn.grid.busy().whole());
    }

    void showing_another_task_resets_the_zoom() {
        Drawn drawn;
        drawn.zoom.show_task(first);
        drawn.zoom.show_steps(first, {100, 200});
        QVERIFY(drawn.zoom.shown_steps());
        drawn.zoom.show_task(second);
        QVERIFY(!drawn.zoom.shown_steps());
    }

    void zoom_range_for_another_task_is_applied_when_it_is_shown() {
        Drawn drawn;
        drawn.zoom.show_task(first);
        drawn.zoom.show_steps(second, {100, 200});
        QVERIFY(!drawn.zoom.shown_steps());
        drawn.zoom.show_task(second);
        QCOMPARE(drawn.zoom.shown_steps(), std::optional(Range(100, 200)));
        drawn.zoom.show_task(first);
        drawn.zoom.show_task(second);  // the range was already used
        QVERIFY(!drawn.zoom.shown_steps());
    }
};

DIVISI_WINDOW_TEST(ZoomRangesTest)

}  // namespace zoom_ranges_test

#include "zoom_ranges_test.moc"
