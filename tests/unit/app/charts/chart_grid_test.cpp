// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/chart_grid.h"

#include <QSignalSpy>

#include "tests/support/test_program.h"

namespace chart_grid_test {

using namespace divisi::charts;

class ChartGridTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void order_puts_named_charts_first_and_ignores_unknown_names() {
        ChartGrid grid;
        const QStringList usual = grid.order();
        QCOMPARE(usual.size(), static_cast<qsizetype>(chart_count));
        const QString wait = TelemetryLines::id(Chart::wait);
        grid.set_order({QStringLiteral("unknown"), wait});
        QStringList expected = usual;
        expected.removeOne(wait);
        expected.prepend(wait);
        QCOMPARE(grid.order(), expected);
        grid.set_order({});
        QCOMPARE(grid.order(), usual);
    }

    void only_placed_charts_are_shown() {
        ChartGrid grid;
        grid.place({Chart::loss, Chart::busy});
        for (const Chart chart : grid.charts()) {
            const bool expected = chart == Chart::loss || chart == Chart::busy;
            QCOMPARE(grid.is_placed(chart), expected);
            QCOMPARE(!grid.chart(chart).isHidden(), expected);
        }
        grid.place({});
        QVERIFY(!grid.is_placed(Chart::loss) && grid.loss().isHidden());
    }

    void keys_move_a_chart_past_charts_that_are_not_placed() {
        ChartGrid grid;
        QSignalSpy changed(&grid, &ChartGrid::orderChanged);
        grid.place({Chart::loss, Chart::step_time});
        Q_EMIT grid.chart(Chart::loss).placeRequested(1);
        QCOMPARE(changed.size(), 1);
        QVERIFY(grid.order().indexOf(TelemetryLines::id(Chart::step_time)) <
                grid.order().indexOf(TelemetryLines::id(Chart::loss)));
        Q_EMIT grid.chart(Chart::loss).placeRequested(1);  // the chart is already the last one
        QCOMPARE(changed.size(), 1);
        Q_EMIT grid.chart(Chart::loss).placeRequested(-1);
        QCOMPARE(changed.size(), 2);
        QVERIFY(grid.order().indexOf(TelemetryLines::id(Chart::loss)) <
                grid.order().indexOf(TelemetryLines::id(Chart::step_time)));
    }

    void order_set_by_the_program_emits_no_signal() {
        ChartGrid grid;
        const QSignalSpy changed(&grid, &ChartGrid::orderChanged);
        grid.place({Chart::loss, Chart::busy});
        grid.set_order({TelemetryLines::id(Chart::busy)});
        QCOMPARE(changed.size(), 0);
    }

    void clear_removes_the_lines_of_all_charts() {
        ChartGrid grid;
        LineChart::Line line;
        line.points = {{1, 2}, {2, 3}};
        grid.chart(Chart::loss).show_lines({line}, {});
        grid.clear();
        QVERIFY(grid.loss().lines().empty());
    }
};

DIVISI_WINDOW_TEST(ChartGridTest)

}  // namespace chart_grid_test

#include "chart_grid_test.moc"
