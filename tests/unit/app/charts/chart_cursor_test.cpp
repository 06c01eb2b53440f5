// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/chart_cursor.h"

#include <QSignalSpy>

#include "tests/support/test_program.h"
#include "tests/unit/app/timed_steps.h"

namespace chart_cursor_test {

using namespace divisi;
using namespace divisi::charts;
using std::chrono::seconds;

namespace {

/// A fixture with charts that follow a time cursor. At first the cursor is live, and the present is at 400 s.
struct Followed {
    testing::TimedSteps steps;
    ChartGrid grid;
    ChartCursor cursor{grid, steps.axes};
    model::TimeCursor moment{[] { return TimePoint(seconds(400)); }};

    Followed() { cursor.follow(moment); }
    std::optional<double> by_step() const { return grid.loss().cursor(); }
    std::optional<double> by_time() const { return grid.busy().cursor(); }
    void hover(Chart which, std::optional<double> x) { Q_EMIT grid.chart(which).hovered(x); }
};

}  // namespace

class ChartCursorTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void positions_convert_between_step_axis_and_time_axis() {
        const testing::TimedSteps steps;
        QCOMPARE(steps.axes.seconds_at(true, 2), std::optional(200.0));
        QCOMPARE(steps.axes.seconds_at(false, steps.at(250)), std::optional(250.0));
        QCOMPARE(steps.axes.on_other_axis(true, 2), std::optional(steps.at(200)));
        QCOMPARE(steps.axes.on_other_axis(false, steps.at(250)), std::optional(2.0));
        QVERIFY(!steps.axes.seconds_at(true, 0.2));
        QVERIFY(!steps.axes.on_other_axis(true, 0.2));
        QVERIFY(!steps.axes.on_other_axis(false, steps.at(50)));
    }

    void one_position_is_shown_on_both_axes() {
        Followed shown;
        shown.hover(Chart::speed, 2);
        QCOMPARE(shown.by_step(), std::optional(2.0));
        QCOMPARE(shown.by_time(), std::optional(shown.steps.at(200)));
        shown.hover(Chart::wait, shown.steps.at(320));
        QCOMPARE(shown.by_step(), std::optional(3.0));
        QCOMPARE(shown.by_time(), std::optional(shown.steps.at(320)));
        shown.hover(Chart::wait, std::nullopt);
        QVERIFY(!shown.by_step() && !shown.by_time());
    }

    void a_click_sets_the_time_of_all_views() {
        Followed shown;
        const QSignalSpy changed(&shown.cursor, &ChartCursor::momentChanged);
        Q_EMIT shown.grid.chart(Chart::loss).clicked(2);
        QVERIFY(!shown.moment.live() && shown.moment.at() == TimePoint(seconds(200)));
        QVERIFY(!changed.isEmpty());
        QCOMPARE(shown.by_step(), std::optional(2.0));
        Q_EMIT shown.grid.chart(Chart::loss).clicked(0.2);  // a step of unknown time
        QVERIFY(shown.moment.at() == TimePoint(seconds(200)));
    }

    void a_past_time_is_shown_when_the_pointer_has_left() {
        Followed shown;
        shown.moment.set(TimePoint(seconds(300)));
        shown.hover(Chart::loss, 1);
        QCOMPARE(shown.by_step(), std::optional(1.0));
        shown.hover(Chart::loss, std::nullopt);
        QCOMPARE(shown.by_step(), std::optional(3.0));
        shown.moment.go_live();
        QVERIFY(!shown.by_step() && !shown.by_time());
    }

    void a_recording_ends_at_its_own_time() {
        Followed shown;
        const TimePoint told(seconds(250));
        QVERIFY(!shown.cursor.shown(told, false).past);
        QCOMPARE(shown.cursor.shown(told, false).seconds, 250.0);
        shown.moment.set(TimePoint(seconds(300)));
        QVERIFY(shown.cursor.shown(told, false).past);
        QCOMPARE(shown.cursor.shown(told, false).seconds, 300.0);
        QVERIFY(!shown.cursor.shown(told, true).past);
        QCOMPARE(shown.cursor.shown(told, true).seconds, 250.0);
    }
};

DIVISI_WINDOW_TEST(ChartCursorTest)

}  // namespace chart_cursor_test

#include "chart_cursor_test.moc"
