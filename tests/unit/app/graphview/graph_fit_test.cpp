// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/graph_fit.h"

#include "app/graphview/drawing/graph_canvas.h"
#include "tests/support/test_program.h"

namespace graph_fit_test {

using namespace divisi;
using graphview::CameraPosition;

namespace {

const QRectF viewport(0, 0, 1000, 800);

}  // namespace

class GraphFitTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void a_small_graph_is_shown_whole_and_never_enlarged() {
        const QRectF graph(0, 0, 200, 300);
        const auto whole = graphview::fit_whole(graph, viewport);
        QVERIFY(whole);
        QCOMPARE(whole->zoom, 1.0);
        QCOMPARE(whole->scene, graph.center());
        QVERIFY(viewport.contains(whole->viewport));
    }

    void a_very_long_graph_is_shown_in_part_at_a_readable_zoom() {
        const QRectF graph(0, 0, 200, 100'000);
        QVERIFY(!graphview::fit_whole(graph, viewport));
        const CameraPosition part = graphview::fit_readable(graph, viewport, {100, 5000});
        QVERIFY(part.zoom >= graphview::GraphCanvas::readable_zoom && part.zoom <= 1);
        QCOMPARE(part.scene, QPointF(100, 5000));
    }

    void a_wide_graph_starts_at_its_left_edge() {
        const CameraPosition narrow = graphview::fit_width({0, 0, 200, 300}, viewport);
        QCOMPARE(narrow.zoom, 1.0);
        QCOMPARE(narrow.scene, QPointF(100, 0));
        const CameraPosition wide = graphview::fit_width({0, 0, 5000, 300}, viewport);
        QCOMPARE(wide.zoom, 0.6);
        QCOMPARE(wide.scene, QPointF(0, 0));
    }

    void end_of_the_graph_is_shown_with_a_margin() {
        const QRectF graph(0, 0, 200, 3000);
        const CameraPosition first = graphview::end_of_graph(graph, viewport, 1, 50, false);
        const CameraPosition last = graphview::end_of_graph(graph, viewport, 1, 50, true);
        QCOMPARE(first.scene, QPointF(50, 0));
        QCOMPARE(last.scene, QPointF(50, 3000));
        QCOMPARE(first.viewport.y() - viewport.top(), viewport.bottom() - last.viewport.y());
    }

    void view_is_not_centred_on_a_cut_line_that_is_visible() {
        graphview::CutLine line;
        line.left_y = 400;
        QVERIFY(!graphview::centre_for(line, viewport));
        line.left_y = 795;  // too near to the edge
        QCOMPARE(graphview::centre_for(line, viewport), std::optional(QPointF(500, 795)));
        line.snap_x = 2000;
        QCOMPARE(graphview::centre_for(line, viewport), std::optional(QPointF(2000, 795)));
    }

    void the_nearest_point_of_a_graph_lies_on_its_edge() {
        QCOMPARE(graphview::nearest_in({0, 0, 200, 300}, {-50, 100}), QPointF(0, 100));
        QCOMPARE(graphview::nearest_in({0, 0, 200, 300}, {50, 100}), QPointF(50, 100));
    }
};

DIVISI_TEST(GraphFitTest)

}  // namespace graph_fit_test

#include "graph_fit_test.moc"
