// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/time_edge.h"

#include "tests/support/test_program.h"

namespace time_edge_test {

using namespace divisi;
using namespace divisi::charts;

namespace {

/// Returns one line with points at these times, in seconds after the origin.
std::vector<LineChart::Line> line_at(const QList<double>& times) {
    LineChart::Line line;
    for (const double x : times) line.points << QPointF(x, 1);
    return {line};
}

control::TaskView ended() {
    control::TaskView task;
    task.phase = control::TaskPhase::ended;
    return task;
}

constexpr double origin = 1000;

}  // namespace

class TimeEdgeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void right_edge_is_the_present_without_recent_reports() {
        TimeEdge edge(120);
        edge.move_to({1500, false});
        QCOMPARE(edge.of(Chart::busy, {}, line_at({10, 20}), origin), std::optional(500.0));
        edge.move_to({1600, false});
        QCOMPARE(edge.of(Chart::busy, {}, line_at({10, 20}), origin), std::optional(600.0));
    }

    void report_from_the_future_moves_only_a_live_right_edge() {
        TimeEdge edge(120);
        edge.move_to({1500, false});
        QCOMPARE(edge.of(Chart::busy, {}, line_at({510}), origin), std::optional(510.0));
        edge.move_to({1500, true});
        QCOMPARE(edge.of(Chart::busy, {}, line_at({510}), origin), std::optional(500.0));
    }

    void cursor_within_the_window_does_not_move_the_right_edge() {
        TimeEdge edge(120);
        edge.move_to({1500, false});
        edge.move_to({1400, true});
        QCOMPARE(edge.of(Chart::busy, {}, line_at({10}), origin), std::optional(500.0));
        edge.move_to({1370, true});  // outside the window
        QCOMPARE(edge.of(Chart::busy, {}, line_at({10}), origin), std::optional(370.0));
        edge.move_to({1380, true});
        QCOMPARE(edge.of(Chart::busy, {}, line_at({10}), origin), std::optional(380.0));
        QVERIFY(edge.now().past);
    }

    void charts_of_an_ended_task_end_with_its_curves() {
        TimeEdge edge(120);
        edge.move_to({1500, false});
        QCOMPARE(edge.of(Chart::busy, ended(), line_at({10, 20}), origin), std::optional(20.0));
        QCOMPARE(edge.of(Chart::link_rate, ended(), line_at({10, 20}), origin), std::optional(500.0));
        QCOMPARE(edge.of(Chart::node_cpu, ended(), line_at({10, 20}), origin), std::optional(500.0));
    }

    void charts_by_step_or_without_points_have_no_right_edge() {
        TimeEdge edge(120);
        edge.move_to({1500, false});
        QVERIFY(!edge.of(Chart::loss, {}, line_at({10}), origin));
        QVERIFY(!edge.of(Chart::busy, {}, line_at({}), origin));
        QVERIFY(!edge.of(Chart::busy, {}, {}, origin));
    }
};

DIVISI_TEST(TimeEdgeTest)

}  // namespace time_edge_test

#include "time_edge_test.moc"
