// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/line_chart.h"

#include <QChart>
#include <QChartView>
#include <QLabel>
#include <QTimer>
#include <QXYSeries>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/test_program.h"

namespace line_chart_test {

using namespace divisi::charts;

class LineChartTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void thinning_keeps_the_extremes_and_the_order() {
        QList<QPointF> points;
        for (int i = 0; i < 5000; ++i) points << QPointF(i, i == 1234 ? 99 : i == 4321 ? -99 : i % 7);
        const QList<QPointF> thinned = thin(points, 200);
        QVERIFY(thinned.size() <= 400);
        QVERIFY(thinned.contains(QPointF(1234, 99)));
        QVERIFY(thinned.contains(QPointF(4321, -99)));
        QVERIFY(std::is_sorted(thinned.begin(), thinned.end(),
                               [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); }));
    }

    void few_points_are_drawn_unchanged() {
        const QList<QPointF> points{{1, 2}, {2, 3}, {3, 1}};
        QCOMPARE(thin(points, 200), points);
        QCOMPARE(thin({}, 200), QList<QPointF>());
    }

    void curve_is_split_at_values_that_are_not_numbers() {
        const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();
        const Sorted points = sorted({{1, 2}, {2, nan}, {3, infinite}, {4, 3}, {5, -infinite}});
        QCOMPARE(points.finite, (QList<QPointF>{{1, 2}, {4, 3}}));
        QCOMPARE(points.broken.size(), 3);
        QCOMPARE(points.broken[0].x(), 2.0);
        QVERIFY(sorted({}).broken.empty());
    }

    void curve_is_split_where_reports_are_missing() {
        const QList<QPointF> points{{1, 2}, {2, 3}, {9, 1}, {10, 2}, {11, std::nan("")}, {12, 4}};
        const auto pieces = runs(points, 3);
        QCOMPARE(pieces.size(), 3u);
        QCOMPARE(pieces[0], (QList<QPointF>{{1, 2}, {2, 3}}));
        QCOMPARE(pieces[1], (QList<QPointF>{{9, 1}, {10, 2}}));
        QCOMPARE(pieces[2], (QList<QPointF>{{12, 4}}));
        QCOMPARE(runs(points, 0).size(), 2u);  // split at the invalid value
        QCOMPARE(runs({}, 3).size(), 1u);
        QVERIFY(runs({{1, std::nan("")}}, 3).front().isEmpty());
    }

    void oldest_pieces_of_a_curve_are_merged_if_there_are_many() {
        QList<QPointF> points;
        for (int i = 0; i < 1000; ++i) points << QPointF(10 * i, i);
        const auto pieces = runs(points, 1);
        QCOMPARE(pieces.size(), most_runs);
        qsizetype count = 0;
        for (const QList<QPointF>& piece : pieces) count += piece.size();
        QCOMPARE(count, points.size());
        QCOMPARE(pieces.back(), (QList<QPointF>{{9990, 999}}));
        QCOMPARE(pieces[1].front(), QPointF(10.0 * (1000 - 63), 1000 - 63));
    }

    void gap_adds_neither_a_line_nor_a_legend_entry() {
        LineChart chart;
        const LineChart::Line one{QStringLiteral("Stage 1"), {{-9, 50}, {-8, 60}, {-2, 50}, {-1, 40}}, false, 4};
        const LineChart::Line two{QStringLiteral("Stage 2"), {{-9, 20}, {-8, 30}}, false, 4};
        chart.show_lines({one, two}, {});
        QCOMPARE(chart.run_count(), 3);
        QCOMPARE(chart.point_count(), 6);
        QCOMPARE(chart.line_names(), (QStringList{QStringLiteral("Stage 1"), QStringLiteral("Stage 2")}));
        chart.show_lines({two}, {});
        QCOMPARE(chart.run_count(), 1);
        chart.show_lines({}, {});
        QCOMPARE(chart.run_count(), 0);
    }

    /// A stage that moves to another process keeps its colour.
    void lines_with_the_same_name_have_the_same_style() {
        LineChart chart;
        const LineChart::Line before{QStringLiteral("Stage 1"), {{0, 50}, {1, 60}}};
        const LineChart::Line after{QStringLiteral("Stage 1"), {{2, 40}, {3, 30}}};
        const LineChart::Line other{QStringLiteral("Stage 2"), {{0, 20}, {3, 30}}};
        chart.show_lines({before, after, other}, {});
        QVERIFY(chart.legend().accessibleName().count(QStringLiteral("Stage 1")) == 1);
        QList<QXYSeries*> drawn;
        for (QAbstractSeries* series : chart.findChild<QChartView*>()->chart()->series())
            if (series->name().startsWith(QStringLiteral("Stage"))) drawn << qobject_cast<QXYSeries*>(series);
        QCOMPARE(drawn.size(), 3);
        const auto pen = [&](int i) { return drawn[i]->pen(); };
        QCOMPARE(pen(0), pen(1));
        QVERIFY(pen(0).color() != pen(2).color());
    }

    /// Only some steps of a long curve are kept. Each value is shown with its own step.
    void value_is_shown_with_the_step_at_which_it_was_measured() {
        LineChart chart;
        chart.set_x_title(QStringLiteral("Step"));
        chart.show_lines({{QStringLiteral("Training"), {{10, 5}, {20, 4}, {30, 3}}, false}}, {});
        chart.set_cursor(22);
        const QString told = chart.cursor_texts().join(u' ');
        QVERIFY2(told.contains(QStringLiteral("Step: 20")) && told.contains(u'4'), qPrintable(told));
    }

    void zoomed_range_is_computed_from_all_samples() {
        divisi::model::SeriesStore store;
        divisi::model::Series& series = store.series("loss");
        for (int i = 0; i < 1000000; ++i) series.append(i, i == 654321 ? 99 : i % 10);
        LineChart chart;
        LineChart::Line line{QStringLiteral("Training"), {}, false};
        line.series = store.find("loss");
        chart.show_lines({line}, {});
        const auto seen = [&] {
            bool found = false;
            for (const QAbstractSeries* one : chart.findChild<QChartView*>()->chart()->series())
                if (const auto* drawn = qobject_cast<const QLineSeries*>(one))
                    found = found || drawn->points().contains(QPointF(654321, 99));
            return found;
        };
        QVERIFY(chart.point_count() < 10000);
        QVERIFY(seen());
        for (double width = 500000; width > 50; width /= 4) {
            chart.zoom_to(654321 - width / 3, 654321 + width / 2);
            QVERIFY2(seen(), qPrintable(QString::number(width)));
        }
        chart.set_cursor(654321);
        QVERIFY(chart.cursor_texts().join(u' ').contains(QStringLiteral("Training: 99")));
        chart.zoom_to(0, 1000);
        QVERIFY(!seen());
        const auto axes = chart.findChild<QChartView*>()->chart()->axes(Qt::Vertical);
        QVERIFY(qobject_cast<const QValueAxis*>(axes.front())->max() < 20);  // only values within the range count
        chart.unzoom();
        QVERIFY(seen());
    }

    void scrolling_by_less_than_a_pixel_column_is_postponed() {
        divisi::model::SeriesStore store;
        divisi::model::Series& series = store.series("busy");
        double x = 0;
        for (; x < 99999; ++x) series.append(x, x);
        series.append(x, x);  // the extremes of each column are drawn
        LineChart chart;
        LineChart::Line line{QStringLiteral("Stage 1"), {}, false};
        line.series = store.find("busy");
        const auto drawn_to = [&] {
            for (const QAbstractSeries* one : chart.findChild<QChartView*>()->chart()->series())
                if (const auto* drawn = qobject_cast<const QLineSeries*>(one)) return drawn->points().back().x();
            return -1.0;
        };
        const auto come = [&](double by) {
            x += by;
            series.append(x, x);
            chart.show_lines({line}, QString::number(x));
        };
        chart.show_lines({line}, {});
        QCOMPARE(drawn_to(), 99999.0);
        for (int few = 0; few < 4; ++few) come(1);
        QCOMPARE(drawn_to(), 99999.0);
        QCOMPARE(chart.findChild<QLabel*>(QStringLiteral("latestText"))->toolTip(), QString::number(x));
        for (int nothing = 0; nothing < 9; ++nothing) chart.show_lines({line}, {});
        QCOMPARE(drawn_to(), 99999.0);
        come(1);  // only four updates in a row are postponed
        QCOMPARE(drawn_to(), x);
        come(5000);  // more than a column's worth of points
        QCOMPARE(drawn_to(), x);
        come(1);
        QCOMPARE(drawn_to(), x - 1);
        chart.draw_now();
        QCOMPARE(drawn_to(), x);
        come(1);
        line.chosen = true;  // changes the line's look
        chart.show_lines({line}, {});
        QCOMPARE(drawn_to(), x);
        come(1);
        QCOMPARE(drawn_to(), x - 1);
        auto* late = chart.findChild<QTimer*>();  // draws the rest if no data follows
        QVERIFY(late && late->isActive() && late->interval() <= 500);
        late->start(0);
        QTRY_COMPARE(drawn_to(), x);
    }

    void gap_stays_visible_in_wide_columns() {
        divisi::model::SeriesStore store;
        divisi::model::Series& series = store.series("busy");
        for (int i = 0; i < 40000; ++i)
            if (i < 20000 || i >= 24000) series.append(0.5 * i, 50 + i % 7);
        LineChart chart;
        LineChart::Line line{QStringLiteral("Stage 1"), {}, false, 4};
        line.series = store.find("busy");
        chart.show_lines({line}, {});
        QCOMPARE(chart.run_count(), 2);
        QCOMPARE(chart.line_names().size(), 1);
        chart.zoom_to(100, 200);
        QCOMPARE(chart.run_count(), 1);
    }

    void moving_window_shows_the_newest_samples() {
        LineChart chart;
        chart.set_window(120);
        QList<QPointF> points;
        for (int i = 0; i <= 600; ++i) points << QPointF(i, i);
        chart.show_lines({{QStringLiteral("Stage 1"), points, false}}, {});
        QCOMPARE(chart.shown_range(), (std::pair<double, double>(480, 600)));
        chart.zoom_to(10, 20);
        chart.show_lines({{QStringLiteral("Stage 1"), points, false}}, {});
        QCOMPARE(chart.shown_range(), (std::pair<double, double>(10, 20)));  // the chosen range is kept
    }

    /// A new curve starts at the left and spans at least a quarter of the window.
    void short_curve_starts_at_the_left_edge_of_the_chart() {
        LineChart chart;
        chart.set_window(120);
        chart.set_edge(14);
        chart.show_lines({{QStringLiteral("Stage 1"), {{0, 1}, {7, 2}, {14, 1}}, false}}, {});
        QCOMPARE(chart.shown_range(), (std::pair<double, double>(0, 30)));
    }

    /// If time passes without samples, the chart is redrawn periodically. After a jump in time, it is redrawn at once.
    void moving_window_ends_at_the_edge_and_moves_periodically() {
        using Range = std::pair<double, double>;
        LineChart chart;
        chart.set_window(120);
        QList<QPointF> points;
        for (int i = 0; i <= 600; ++i) points << QPointF(i, i);
        const auto show_to = [&](double edge) {
            chart.set_edge(edge);
            chart.show_lines({{QStringLiteral("Stage 1"), points, false}}, {});
            return chart.shown_range();
        };
        QCOMPARE(show_to(650), Range(530, 650));
        QCOMPARE(show_to(650.5), Range(530, 650));
        QCOMPARE(show_to(654), Range(530, 650));
        chart.draw_now();
        QCOMPARE(chart.shown_range(), Range(534, 654));
        QCOMPARE(show_to(800), Range(680, 800));
        QCOMPARE(show_to(300), Range(180, 300));
        chart.show_whole(true);
        QCOMPARE(chart.shown_range(), Range(0, 600));
        points << QPointF(700, 1);
        QCOMPARE(show_to(710), Range(0, 710));
        chart.zoom_to(10, 20);
        chart.reset();
        QVERIFY(!chart.zoomed() && chart.whole());
        chart.reset();
        QCOMPARE(chart.shown_range(), Range(590, 710));
        chart.zoom(4, 650);
        QVERIFY(chart.zoomed());
        chart.zoom(4, 650);  // wider than all data, so the chart follows again
        QVERIFY(!chart.zoomed() && chart.whole());
        QCOMPARE(chart.shown_range(), Range(0, 710));
    }

    void value_at_a_time_is_that_of_the_last_point_before_it() {
        divisi::model::SeriesStore store;
        divisi::model::Series& series = store.series("busy");
        LineChart::Line few{QStringLiteral("Stage 1"), {}, false, 4}, many = few;
        for (int i = 10; i < 5000; i += 10) series.append(i, i);
        many.series = store.find("busy");
        many.shift = 10;
        many.scale = 2;
        few.points = {{10, 1}, {20, 2}};
        QVERIFY(!few.at(9));
        QCOMPARE(few.at(10), std::optional(QPointF(10, 1)));
        QCOMPARE(few.at(1e9), std::optional(QPointF(20, 2)));
        QVERIFY(!many.at(-1));
        QCOMPARE(many.at(0), std::optional(QPointF(0, 20)));
        QCOMPARE(many.at(2005), std::optional(QPointF(2000, 4020)));
        QCOMPARE(many.at(std::numeric_limits<double>::infinity()), many.last());
        QVERIFY(few.reaches(20, 24) && !few.reaches(20, 25));
    }

    void axis_range_has_round_ends_and_contains_all_points() {
        for (const auto& [low, high] : {std::pair(0.13, 5.47), {-3.0, 1000.0}, {2.5, 2.5}, {0.0001, 0.0002}}) {
            const RoundRange range = round_range(low, high);
            QVERIFY(range.low <= low && range.high >= high);
            const double steps = (range.high - range.low) / range.step;
            QVERIFY(steps > 1.5 && steps < 7);
            QVERIFY(qAbs(steps - qRound(steps)) < 1e-6);
        }
    }

    void generation_starts_are_marked_and_explained_in_the_legend() {
        LineChart chart;
        LineChart::Line line{QStringLiteral("Training"), {{1, 5}, {2, 4}, {3, 3}}, false};
        const QString why = QStringLiteral("Generation 2, from step 2: killed");
        chart.show_lines({line}, QStringLiteral("3"), {{0, QStringLiteral("Generation 1")}, {2, why}});
        QCOMPARE(chart.start_positions(), (QList<double>{1, 2}));  // the mark at 0 is shown at the first point
        QCOMPARE(chart.point_count(), 3);
        QVERIFY(chart.legend().accessibleName().contains(why));
        QVERIFY(chart.legend().isVisibleTo(&chart));
        chart.show_lines({line}, QStringLiteral("3"));
        QVERIFY(chart.start_positions().isEmpty());
        QVERIFY(!chart.legend().accessibleName().contains(why));
    }

    void screen_reader_gets_the_latest_values() {
        LineChart chart;
        chart.set_title(QStringLiteral("Loss"));
        chart.show_lines({{QStringLiteral("Training"), {{1, 5}, {2, 4.25}}, false},
                          {QStringLiteral("Validation"), {{2, 3.5}}, true}},
                         QStringLiteral("4.25"));
        const auto* view = chart.findChild<QChartView*>();
        QCOMPARE(view->accessibleName(), QStringLiteral("Loss"));
        QVERIFY2(view->accessibleDescription().contains(QStringLiteral("Training: 4.2500")),
                 qPrintable(view->accessibleDescription()));
        QVERIFY(view->accessibleDescription().contains(QStringLiteral("Validation: 3.5000")));
    }

    void legend_explains_the_newest_of_many_generation_starts() {
        LineChart chart;
        std::vector<LineChart::Start> starts;
        for (int i = 1; i <= 9; ++i) starts.push_back({static_cast<double>(i), QStringLiteral("start %1").arg(i)});
        chart.show_lines({{QStringLiteral("Training"), {{1, 5}, {9, 4}}, false}}, {}, starts);
        QCOMPARE(chart.start_positions().size(), 9);
        QVERIFY(chart.legend().accessibleName().contains(QStringLiteral("start 9")));
        QVERIFY(!chart.legend().accessibleName().contains(QStringLiteral("start 1")));
    }

    void truncated_headline_keeps_its_first_digits() {
        LineChart chart;
        chart.set_title(QStringLiteral("Loss"));
        chart.resize(160, 200);
        chart.show();
        const QString headline = QStringLiteral("2.6785 \u00b7 accuracy 22.9%");
        chart.show_lines({}, headline);
        const auto* label = chart.findChild<QLabel*>(QStringLiteral("latestText"));
        QVERIFY(label->text() != headline && label->text().startsWith(QStringLiteral("2.")));
        QVERIFY(label->fontMetrics().horizontalAdvance(label->text()) <= label->width());
        chart.resize(600, 200);
        QCoreApplication::processEvents();
        QCOMPARE(label->text(), headline);
    }
};

DIVISI_WINDOW_TEST(LineChartTest)

}  // namespace line_chart_test

#include "line_chart_test.moc"
