// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/chart_menu.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QImage>
#include <QPointer>
#include <QSignalSpy>

#include "tests/support/test_program.h"
#include "tests/unit/app/timed_steps.h"

namespace chart_menu_test {

using namespace divisi;
using namespace divisi::charts;
using model::Selected;
using std::chrono::seconds;

namespace {

using Range = ZoomRanges::Range;

/// A grid whose charts all have a line from 0 to 600, with the context menu of its charts.
struct Charts {
    testing::TimedSteps steps;
    model::Selection selection;
    model::TimeCursor moment{[] { return TimePoint(seconds(400)); }};
    ChartGrid grid;
    ZoomRanges zoom{grid};
    ChartCursor cursor{grid, steps.axes};
    SelectionMark mark{grid, steps.axes};
    ExportBar exports{grid, [] {}};
    ChartMenu menu{ChartMenu::Parts{grid, zoom, cursor, mark, exports}};
    QWidget view;

    Charts() {
        LineChart::Line line;
        line.name = QStringLiteral("Training");
        line.points = {{0, 5}, {2, 4.75}, {300, 4.5}, {600, 4.25}};
        for (const Chart which : grid.charts()) grid.chart(which).show_lines({line}, {});
    }
    /// Opens the menu of a chart in place of the open one.
    QMenu& open(Chart which, double x = 150) {
        qDeleteAll(view.findChildren<QMenu*>());
        menu.open(view, which, QPoint(10, 10), x);
        return *view.findChild<QMenu*>(QStringLiteral("chartMenu"));
    }
    /// Opens the menu of a chart, and returns its entry with this text; null if it has none.
    QAction* entry(Chart which, const char* text, double x = 150) {
        for (QAction* action : open(which, x).actions())
            if (action->text() == QLatin1String(text)) return action;
        return nullptr;
    }
    void choose(Chart which, const char* text, double x = 150) {
        QAction* action = entry(which, text, x);
        if (action) action->trigger();
        else QFAIL(text);
    }
};

QStringList texts_of(const QMenu& menu) {
    QStringList texts;
    for (const QAction* action : menu.actions())
        if (!action->isSeparator()) texts << action->text();
    return texts;
}

}  // namespace

/// Tests which entries the context menu of a chart has, and what each entry does.
class ChartMenuTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void entries_depend_on_the_axis() {
        Charts charts;
        QStringList by_step{QStringLiteral("Select this step"),
                            QStringLiteral("Copy the values here"),
                            QStringLiteral("Copy the chart as an image"),
                            QStringLiteral("Zoom in here"),
                            QStringLiteral("Zoom out"),
                            QStringLiteral("Export values..."),
                            QStringLiteral("Export image...")};
        QCOMPARE(texts_of(charts.open(Chart::loss)), by_step);
        QCOMPARE(texts_of(charts.open(Chart::accuracy)), by_step);
        QStringList by_time = by_step;
        by_time[0] = QStringLiteral("Show this moment in all views");
        by_time.insert(5, QStringLiteral("Show the full range"));
        QCOMPARE(texts_of(charts.open(Chart::busy)), by_time);
        QCOMPARE(texts_of(charts.open(Chart::node_power)), by_time);
    }

    void a_closed_menu_is_deleted() {
        Charts charts;
        const QPointer<QMenu> menu(&charts.open(Chart::loss));
        QVERIFY(menu->isVisible() && menu->parent() == &charts.view);
        menu->close();
        QTRY_VERIFY(!menu);
    }

    void menu_entry_selects_the_step_if_the_charts_follow_a_selection() {
        Charts charts;
        QVERIFY(!charts.entry(Chart::loss, "Select this step")->isEnabled());
        charts.mark.follow(charts.selection);
        QVERIFY(!charts.entry(Chart::busy, "Show this moment in all views")->isEnabled());
        charts.choose(Chart::loss, "Select this step", 2.4);
        QCOMPARE(charts.selection.current(), Selected::of_step(charts.steps.task, 2));
    }

    void menu_entry_sets_the_time_cursor_if_the_charts_follow_it() {
        Charts charts;
        charts.cursor.follow(charts.moment);
        QVERIFY(!charts.entry(Chart::loss, "Select this step")->isEnabled());
        charts.choose(Chart::busy, "Show this moment in all views", charts.steps.at(250));
        QVERIFY(!charts.moment.live() && charts.moment.at() == TimePoint(seconds(250)));
        QVERIFY(!charts.selection.current());
    }

    void values_and_image_of_the_chart_are_copied() {
        Charts charts;
        charts.choose(Chart::loss, "Copy the values here", 2.3);
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("Step: 2\nTraining: 4.7500"));
        charts.choose(Chart::loss, "Copy the chart as an image");
        const QImage image = QGuiApplication::clipboard()->image();
        QVERIFY(!image.isNull());
        QCOMPARE(image.size(), charts.grid.chart(Chart::loss).grab().size());
    }

    void zooming_keeps_the_position_of_the_pointer() {
        Charts charts;
        const LineChart& loss = charts.grid.loss();
        QCOMPARE(loss.shown_range(), Range(0, 600));
        charts.choose(Chart::loss, "Zoom in here", 150);
        QCOMPARE(loss.shown_range(), Range(75, 375));
        charts.choose(Chart::loss, "Zoom in here", 150);
        QCOMPARE(loss.shown_range(), Range(112.5, 262.5));
        QCOMPARE(charts.grid.chart(Chart::speed).shown_range(), Range(112.5, 262.5));
        QVERIFY(!charts.grid.busy().zoomed());
        charts.choose(Chart::loss, "Zoom out", 150);
        QCOMPARE(loss.shown_range(), Range(75, 375));
        charts.choose(Chart::loss, "Zoom out", 150);
        QVERIFY(!loss.zoomed());
        QCOMPARE(loss.shown_range(), Range(0, 600));
    }

    void menu_entry_ends_the_zoom_of_charts_with_the_same_axis() {
        Charts charts;
        QVERIFY(!charts.entry(Chart::loss, "Leave the range"));
        charts.choose(Chart::loss, "Zoom in here");
        QVERIFY(!charts.entry(Chart::busy, "Leave the range"));  // the other axis is not zoomed
        charts.choose(Chart::speed, "Leave the range");
        QVERIFY(!charts.grid.loss().zoomed() && !charts.grid.chart(Chart::speed).zoomed());
        QVERIFY(!charts.entry(Chart::loss, "Leave the range"));
    }

    void the_full_range_is_switched_on_and_off() {
        Charts charts;
        const auto is_checked = [&] { return charts.entry(Chart::wait, "Show the full range")->isChecked(); };
        QVERIFY(!is_checked());
        charts.choose(Chart::wait, "Show the full range");
        QVERIFY(charts.zoom.whole() && charts.grid.busy().whole());
        QVERIFY(is_checked());
        charts.choose(Chart::busy, "Zoom in here");
        QVERIFY(charts.zoom.whole() && !is_checked());  // the zoomed charts show a part of it
        charts.choose(Chart::busy, "Leave the range");
        QVERIFY(is_checked());
        charts.choose(Chart::wait, "Show the full range");
        QVERIFY(!charts.zoom.whole() && !charts.grid.busy().whole());
    }

    void an_export_entry_presses_its_button() {
        Charts charts;
        QPushButton &csv = charts.exports.csv(), &image = charts.exports.image();
        for (QPushButton* button : {&csv, &image}) button->disconnect(&charts.exports);  // avoids a dialog
        const QSignalSpy values(&csv, &QPushButton::clicked), pictures(&image, &QPushButton::clicked);
        charts.choose(Chart::loss, "Export values...");
        QVERIFY(values.size() == 1 && pictures.isEmpty());
        charts.choose(Chart::busy, "Export image...");
        QVERIFY(values.size() == 1 && pictures.size() == 1);
    }
};

DIVISI_WINDOW_TEST(ChartMenuTest)

}  // namespace chart_menu_test

#include "chart_menu_test.moc"
