// SPDX-License-Identifier: GPL-3.0-or-later
// Tests which part of a graph is visible, at which zoom.
#include <algorithm>

#include "tests/support/cpu_time.h"
#include "tests/support/test_program.h"

#include "tests/gui/console.h"

namespace sight_test {

using namespace divisi;

namespace {

/// Shows ten thousand operators, one below the other.
void show_long_chain(testing::Console& console) {
    console.document().set_model(
        std::make_shared<const model::LoadedModel>(testing::residual(3334), model::ModelSource{}));
    console.view().scopes().open_all();
    console.wait_for_layout();
    console.view().setFocus();
    QCoreApplication::processEvents();
}

QRectF shown(const graphview::GraphView& view) { return view.mapToScene(view.viewport()->rect()).boundingRect(); }

bool shows_a_block(const graphview::GraphView& view) {
    const auto& blocks = view.layout().blocks();
    return std::ranges::any_of(blocks, [&](const auto& placed) { return shown(view).contains(placed.rect.center()); });
}

}  // namespace

class SightTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void fitted_long_chain_stays_readable() {
        testing::Console console;
        show_long_chain(console);
        QTest::keyClick(console.window.get(), Qt::Key_0);
        QVERIFY2(console.view().camera().zoom() >= graphview::GraphCanvas::detail_zoom,
                 qPrintable(QString::number(console.view().camera().zoom())));
        QVERIFY(shows_a_block(console.view()));
        QVERIFY(console.find<QLabel>("hint")->text().contains(QStringLiteral("overview")));
        console.shot("long-chain");
    }

    void actual_size_scrolls_the_graph_into_view() {
        testing::Console console;
        show_long_chain(console);
        for (int i = 0; i < 60; ++i) console.view().camera().zoom_out();
        QVERIFY(console.view().camera().zoom() < 0.001);
        QTest::keyClick(console.window.get(), Qt::Key_0, Qt::ControlModifier);
        QCOMPARE(console.view().camera().zoom(), 1.0);
        QVERIFY(shows_a_block(console.view()));
    }

    /// The whole window follows each move: labels, tables, landscape and overview.
    void a_cut_is_dragged_smoothly_in_ten_thousand_operators() {
        testing::Console console;
        show_long_chain(console);
        graphview::GraphView& view = console.view();
        QVERIFY(console.document().set_cuts({500, 1000, 1500}, QStringLiteral("cuts")));
        for (const double zoom : {1.0, 0.04}) {
            view.cut_focus().show(1);
            view.camera().centre();
            view.setTransform(QTransform::fromScale(zoom, zoom));
            view.centerOn(QPointF(0, view.mapToScene(view.cut_drag().handle(1)).y()));
            QCoreApplication::processEvents();
            const QPoint from = view.cut_drag().handle(1);
            QTest::mousePress(view.viewport(), Qt::LeftButton, {}, from);
            QTest::mouseMove(view.viewport(), from + QPoint(0, 12));
            std::vector<double> moves;
            for (int i = 0; i < 60; ++i) {
                const double before = testing::thread_cpu_ms();
                QTest::mouseMove(view.viewport(), from + QPoint(0, 14 + 2 * i));
                QCoreApplication::processEvents();
                moves.push_back(testing::thread_cpu_ms() - before);
            }
            QVERIFY(console.document().previewing());
            QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, from + QPoint(0, 134));
            std::ranges::sort(moves);
            const double p95 = moves[moves.size() * 95 / 100];
            qInfo("10,002 operators at zoom %.2f: drag %.2f ms", zoom, p95);
            QVERIFY2(p95 < 16, qPrintable(QString::number(p95)));
        }
    }

    void click_in_the_minimap_scrolls_there() {
        testing::Console console;
        console.show_chain();
        graphview::GraphView& view = console.view();
        for (int i = 0; i < 3; ++i) view.camera().zoom_in();  // so that the graph does not fit
        auto* map = console.find<QWidget>("minimap");
        QVERIFY(map->isVisible());
        const double middle = view.layout().bounds().center().y();
        QTest::mouseClick(map, Qt::LeftButton, {}, QPoint(map->width() / 2, map->height() - 6));
        QVERIFY(shown(view).center().y() > middle);
        const QImage below = map->grab().toImage();
        QTest::mouseClick(map, Qt::LeftButton, {}, QPoint(map->width() / 2, 6));
        QVERIFY(shown(view).center().y() < middle);
        QVERIFY(map->grab().toImage() != below);  // the map marks the visible part
    }

    /// The minimap has a column of its own, whatever part of the graph is beside it.
    void minimap_never_covers_the_graph() {
        testing::Console console;
        console.show_chain();
        console.window->resize(1366, 768);
        auto* map = console.find<QWidget>("minimap");
        const auto place = [&](const QWidget& widget) {
            return QRect(widget.mapTo(console.window.get(), QPoint()), widget.size());
        };
        for (const char* change : {"", "zoom_in", "fit", "find"}) {
            if (*change) console.action(change)->trigger();
            QCoreApplication::processEvents();
            const QRect own = place(*map), graph = place(*console.view().viewport());
            QVERIFY2(map->isVisible() && !own.isEmpty() && graph.width() > own.width(), change);
            QVERIFY2(!own.intersects(graph), change);
            QVERIFY2(console.window->rect().contains(own), change);
        }
    }

    void f_centres_the_cut_and_a_second_f_fits_the_graph() {
        testing::Console console;
        console.show_chain();
        graphview::GraphView& view = console.view();
        QTest::keyClick(&view, Qt::Key_Tab);
        QCOMPARE(view.cut_focus().cut(), 0);
        QTest::keyClick(&view, Qt::Key_End);
        const int middle = view.viewport()->rect().center().y();
        QVERIFY(qAbs(view.cut_drag().handle(0).y() - middle) > 100);
        QTest::keyClick(console.window.get(), Qt::Key_F);
        QVERIFY(qAbs(view.cut_drag().handle(0).y() - middle) <= 2);
        QCOMPARE(view.camera().zoom(), 1.0);
        QTest::keyClick(console.window.get(), Qt::Key_F);
        QVERIFY(view.camera().zoom() < 1);
        QVERIFY(shown(view).top() <= view.layout().bounds().top());
        QVERIFY(shown(view).bottom() >= view.layout().bounds().bottom());
    }
};

DIVISI_WINDOW_TEST(SightTest)

}  // namespace sight_test

#include "sight_test.moc"
