// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/graph_camera.h"

#include <QSignalSpy>

#include "tests/support/test_program.h"
#include "tests/unit/app/shown_chain.h"

namespace graph_camera_test {

using namespace divisi;
using graphview::GraphCamera;

class GraphCameraTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void zoom_has_limits() {
        testing::ViewedChain chain;
        chain.camera.zoom_in();
        QCOMPARE(chain.camera.zoom(), 1.25);
        chain.camera.zoom_by(1e9, {});
        QCOMPARE(chain.camera.zoom(), 4.0);
        chain.camera.zoom_by(1e-9, {});
        QVERIFY(chain.camera.zoom() > 0 && chain.camera.zoom() < 0.001);
        chain.camera.zoom_reset();
        QCOMPARE(chain.camera.zoom(), 1.0);
    }

    void fitting_without_a_graph_changes_nothing() {
        testing::ViewedChain chain;
        chain.canvas.show(nullptr, nullptr);
        const QSignalSpy changed(&chain.camera, &GraphCamera::changed);
        chain.camera.fit_all();
        chain.camera.fit_width();
        chain.camera.centre();
        chain.camera.go_to_end(true);
        QCOMPARE(changed.size(), 0);
        QCOMPARE(chain.camera.anchor_at(graph::no_node).node, graph::no_node);
    }

    void an_invisible_view_is_fitted_again_when_it_is_shown() {
        testing::ViewedChain chain;
        const QSignalSpy changed(&chain.camera, &GraphCamera::changed);
        chain.camera.fit_width_when_shown();
        QCOMPARE(changed.size(), 1);
        chain.camera.view_shown();
        QCOMPARE(changed.size(), 2);
        chain.camera.view_shown();  // does nothing, because the view has already been fitted
        QCOMPARE(changed.size(), 2);
    }

    void the_chosen_point_is_centred_at_a_readable_zoom() {
        testing::ShownChain chain;
        QGraphicsView view;
        view.resize(1000, 800);
        view.setSceneRect(chain.canvas.layout().bounds().adjusted(-4000, -4000, 4000, 4000));
        const QPointF point = chain.blocks()[9].rect.center();
        GraphCamera camera(view, chain.canvas, [point] { return std::optional(point); });
        camera.zoom_by(0.1, {});
        camera.centre();
        QCOMPARE(camera.zoom(), 0.8);
        const QPoint away = view.mapFromScene(point) - view.viewport()->rect().center();
        QVERIFY(away.manhattanLength() <= 2);
    }
};

DIVISI_WINDOW_TEST(GraphCameraTest)

}  // namespace graph_camera_test

#include "graph_camera_test.moc"
