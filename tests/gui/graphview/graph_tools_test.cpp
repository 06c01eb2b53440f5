// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the graph tools: colours with a legend, search, pictures, snapping, refused drops, and the lasso.
#include <QDialog>
#include <QFileDialog>
#include <QFrame>
#include <QImage>
#include <QMouseEvent>
#include <QPushButton>

#include "app/client/embedded_host.h"
#include "app/graphview/diagram/landscape_strip.h"
#include "app/graphview/diagram/legend.h"
#include "app/shell/cutting/graph_tools.h"
#include "tests/gui/console.h"
#include "tests/gui/own_data_folder.h"
#include "tests/support/test_program.h"

namespace graph_tools_test {

using namespace divisi;
using model::ColourBy;
using model::Cuts;

namespace {

testing::TaskFile coloured_task() {
    return testing::TaskFile("coloured")
        .gpt(4, 64, 2, 32)
        .replace("data", {{"kind", "text"}, {"path", "text.txt"}})
        .set("train.microbatches", 4)
        .set("split.cuts", {"/layers/0/Add"});
}

/// A fixture with a window and a priced task, without measurements.
struct PricedWindow {
    testing::OwnDataFolder data;
    std::unique_ptr<testing::Console> console = std::make_unique<testing::Console>();

    PricedWindow() { console->window->open_path(console->write("task.toml", coloured_task())); }
    model::PriceBoard& board() { return console->window->context().prices; }
    bool settle() {
        return QTest::qWaitFor(
            [&] {
                return board().prices() && board().prices()->ok() && !board().busy() &&
                       !console->window->context().pool.busy() &&
                       board().prices()->cuts == console->document().shown_cuts() && !console->cuts().empty();
            },
            20'000);
    }
    /// Sets a pool whose devices have exactly the memory that the shown plan needs.
    void leave_no_memory() {
        Bytes largest = 0;
        for (const price::PredictedStage& stage : board().prices()->prediction.stages)
            largest = std::max(largest, stage.memory);
        price::NodePool pool = price::default_pool();
        for (price::PlannedDevice& device : pool.nodes) device.memory = largest;
        board().set_pool(std::move(pool));
    }
};

void move(QWidget* target, QPoint at, Qt::KeyboardModifiers modifiers) {
    QMouseEvent event(QEvent::MouseMove, at, target->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, modifiers);
    QApplication::sendEvent(target, &event);
}

}  // namespace

class GraphToolsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void blocks_are_coloured_and_a_legend_explains_them();
    void unmeasured_times_are_marked();
    void key_cycles_colour_modes_and_the_chosen_mode_is_saved();
    void segments_differ_by_colour();
    void search_counts_and_wraps_around();
    void search_in_another_model_is_cleared();
    void matches_are_marked_at_a_small_zoom();
    void graph_is_exported_as_svg_and_png();
    void export_can_be_cancelled();
    void failed_export_says_why();
    void cut_snaps_only_near_a_legal_position();
    void impossible_drop_is_refused_in_advance();
    void impossible_drop_in_the_strip_is_refused();
    void impossible_plan_can_be_corrected();
    void lasso_paints_the_operators_inside();
    void opening_all_scopes_keeps_the_selection();
};

void GraphToolsTest::blocks_are_coloured_and_a_legend_explains_them() {
    PricedWindow window;
    QVERIFY(window.settle());
    testing::Console& console = *window.console;
    graphview::GraphView& view = console.view();
    auto* legend = console.find<QWidget>("legend");
    QVERIFY(!legend->isVisible());
    console.action("colour_memory")->trigger();
    QVERIFY(legend->isVisible());
    QVERIFY2(legend->accessibleDescription().contains(QStringLiteral("Weights")),
             qPrintable(legend->accessibleDescription()));
    console.find<QDockWidget>("Plans")->hide();  // the view Plans takes space from the graph
    view.scopes().open_all();
    view.camera().zoom_reset();
    QCoreApplication::processEvents();
    const auto& blocks = view.layout().blocks();
    QCOMPARE(view.colours().figures().value.size(), blocks.size());
    QVERIFY(view.colours().figures().most > view.colours().figures().least);
    // Check the pixels beside the text of a visible block.
    const QImage image = view.viewport()->grab().toImage();
    int seen = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const QPoint at = view.mapFromScene(QPointF(blocks[i].rect.right() - 8, blocks[i].rect.center().y()));
        if (!view.viewport()->rect().adjusted(200, 10, -20, -10).contains(at)) continue;
        const QColor wanted = model::heat_colour(view.colours().figures().place(i)), shown = image.pixelColor(at);
        QVERIFY2(std::abs(wanted.red() - shown.red()) < 4 && std::abs(wanted.blue() - shown.blue()) < 4,
                 qPrintable(wanted.name() + u' ' + shown.name()));
        ++seen;
    }
    QVERIFY(seen > 2);
    console.shot("colour-memory");
    console.action("colour_bytes")->trigger();
    QVERIFY(legend->accessibleDescription().contains(QStringLiteral("Bytes")));
    console.action("colour_nothing")->trigger();
    QVERIFY(!legend->isVisible());
}

void GraphToolsTest::unmeasured_times_are_marked() {
    PricedWindow window;
    QVERIFY(window.settle());
    testing::Console& console = *window.console;
    console.action("colour_time")->trigger();
    const model::BlockFigures& figures = console.view().colours().figures();
    QVERIFY(figures.most > 0);
    QVERIFY(figures.some_unmeasured);
    auto* legend = console.find<QWidget>("legend");
    QVERIFY2(legend->accessibleDescription().contains(QStringLiteral("estimated")),
             qPrintable(legend->accessibleDescription()));
    console.shot("colour-time");
    const double before = figures.most;
    console.view().scopes().close_all();
    QVERIFY(console.view().colours().figures().most > before);  // a scope costs as much as its operators together
    console.window->set_theme(shell::Theme::light);
    console.shot("colour-time-light");
}

void GraphToolsTest::key_cycles_colour_modes_and_the_chosen_mode_is_saved() {
    testing::Console console;
    console.show_chain();
    QList<ColourBy> seen;
    for (int i = 0; i < 5; ++i) {
        QTest::keyClick(console.window.get(), Qt::Key_C);
        seen << console.view().colours().by();
    }
    QCOMPARE(seen, (QList<ColourBy>{ColourBy::segment, ColourBy::time, ColourBy::memory, ColourBy::bytes,
                                    ColourBy::nothing}));
    console.action("colour_bytes")->trigger();
    console.window.reset();
    console.open();
    QCOMPARE(console.view().colours().by(), ColourBy::bytes);
    QVERIFY(console.action("colour_bytes")->isChecked());
}

void GraphToolsTest::segments_differ_by_colour() {
    testing::Console console;
    console.show_chain({4});
    console.action("colour_segment")->trigger();
    const graphview::GraphView& view = console.view();
    const auto last = static_cast<std::int32_t>(view.layout().blocks().size()) - 1;
    QVERIFY(view.colours().colour(0) != view.colours().colour(last));
    QVERIFY(console.find<QWidget>("legend")->accessibleDescription().endsWith(u'2'));
    console.document().clear_cuts();
    QCOMPARE(view.colours().colour(0), view.colours().colour(last));
    QVERIFY(console.find<QWidget>("legend")->accessibleDescription().endsWith(u'1'));
    QVERIFY(!console.document().painting());  // the colours are only shown, not painted
}

void GraphToolsTest::search_counts_and_wraps_around() {
    testing::Console console;
    console.show_chain();
    QTest::keyClick(console.window.get(), Qt::Key_F, Qt::ControlModifier);
    auto* input = console.find<QLineEdit>("searchInput");
    const auto* count = console.find<QLabel>("searchCount");
    QTest::keyClicks(input, QStringLiteral("/STACK/1"));  // matches 1 and 10 to 19
    QCOMPARE(count->text(), QStringLiteral("Found: 11"));
    QTest::keyClick(input, Qt::Key_Return);
    QCOMPARE(count->text(), QStringLiteral("1 of 11"));
    QTest::keyClick(input, Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(count->text(), QStringLiteral("11 of 11"));
    QTest::keyClick(console.window.get(), Qt::Key_F3);
    QCOMPARE(count->text(), QStringLiteral("1 of 11"));
    input->clear();
    QTest::keyClicks(input, QStringLiteral("1("));  // plain text, not a pattern
    QVERIFY(!count->text().contains(QStringLiteral("Found")));
    QTest::keyClick(input, Qt::Key_Escape);
    QVERIFY(!input->isVisible());
}

void GraphToolsTest::search_in_another_model_is_cleared() {
    testing::Console console;
    console.show_chain();
    console.action("find")->trigger();
    auto* input = console.find<QLineEdit>("searchInput");
    QTest::keyClicks(input, QStringLiteral("stack/19"));
    QTest::keyClick(input, Qt::Key_Return);
    QTest::keyClick(input, Qt::Key_Escape);
    console.document().set_model(testing::chain_model(3));
    QTest::keyClick(console.window.get(), Qt::Key_F3);
    QVERIFY(input->isVisible());
    QCOMPARE(console.view().selection().block(), -1);
}

void GraphToolsTest::matches_are_marked_at_a_small_zoom() {
    testing::Console console;
    console.show_chain({17});
    graphview::GraphView& view = console.view();
    auto* minimap = console.find<QWidget>("minimap");
    QVERIFY(minimap->isVisible());
    const QImage overview = minimap->grab().toImage();
    view.matches().set({7}, true);
    QVERIFY(minimap->grab().toImage() != overview);
    // Zoom out until a row is less than three pixels high: then blocks are painted a row at a time.
    while (view.camera().zoom() * (graphview::metrics::block_height + graphview::metrics::row_gap) >= 3)
        view.camera().zoom_out();
    view.centerOn(view.layout().blocks()[7].rect.center());
    const QColor accent = model::colours_of(view.palette()).accent;
    const auto marked = [&](std::int32_t placed) {
        const QImage image = view.viewport()->grab().toImage();
        const QPoint at = view.mapFromScene(view.layout().blocks()[static_cast<std::size_t>(placed)].rect.center());
        for (const int dy : {-1, 0, 1})
            if (image.pixelColor(at + QPoint(0, dy)) == accent) return true;
        return false;
    };
    QVERIFY(marked(view.layout().placed_at(7)));
    QVERIFY(!marked(view.layout().placed_at(2)));
    view.matches().set({}, false);
    QVERIFY(!marked(view.layout().placed_at(7)));
    view.selection().select(view.layout().blocks()[7].block, false);
    QVERIFY(marked(7));
}

/// Enters a name in the dialog of "Export graph".
void export_to(testing::Console& console, const QString& path) {
    console.action("export_graph")->trigger();
    auto* dialog = console.find<QFileDialog>("exportGraphDialog");
    dialog->selectFile(path);
    static_cast<QDialog*>(dialog)->accept();
    QTRY_VERIFY(!console.window->findChild<QFileDialog*>(QStringLiteral("exportGraphDialog")));
}

void GraphToolsTest::export_can_be_cancelled() {
    testing::Console console;
    console.document().set_model(
        std::make_shared<const model::LoadedModel>(testing::residual(3334), model::ModelSource{}), {});
    console.wait_for_layout();
    // 64 million pixels take long enough to cancel the export.
    const QString first = console.folder.filePath(QStringLiteral("first.png")),
                  second = console.folder.filePath(QStringLiteral("second.svg"));
    console.action("export_graph")->trigger();
    auto* dialog = console.find<QFileDialog>("exportGraphDialog");
    dialog->selectFile(first);
    static_cast<QDialog*>(dialog)->accept();
    auto* bar = console.find<QFrame>("messageBar");
    QVERIFY(bar->isVisible());
    QVERIFY(console.find<QLabel>("messageText")->text().contains(QStringLiteral("first.png")));
    for (auto* button : bar->findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Cancel")) button->click();
    QVERIFY(!bar->isVisible());
    QTRY_VERIFY(!console.window->findChild<QFileDialog*>(QStringLiteral("exportGraphDialog")));
    // The next export starts once the worker has stopped the first.
    export_to(console, second);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(second), 60'000);
    QVERIFY(!QFile::exists(first));
}

void GraphToolsTest::graph_is_exported_as_svg_and_png() {
    testing::Console console;
    console.show_chain({4, 9});
    console.action("colour_memory")->trigger();
    for (const char* name : {"graph.svg", "graph.png"}) {
        const QString path = console.folder.filePath(QString::fromLatin1(name));
        console.action("export_graph")->trigger();
        auto* dialog = console.find<QFileDialog>("exportGraphDialog");
        QVERIFY(dialog->isVisible());
        dialog->selectFile(path);
        static_cast<QDialog*>(dialog)->accept();
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path), 20'000);
        QTRY_VERIFY(console.find<QLabel>("hint")->text().contains(QString::fromLatin1(name)));
        QTRY_VERIFY(!console.window->findChild<QFileDialog*>(QStringLiteral("exportGraphDialog")));
    }
    QFile svg(console.folder.filePath(QStringLiteral("graph.svg")));
    QVERIFY(svg.open(QIODevice::ReadOnly));
    const QByteArray text = svg.readAll();
    for (const char* part : {"<svg", "Gemm", "Segment 3", "Segments: 3", "Weights"})
        QVERIFY2(text.contains(part), part);
    const QImage png(console.folder.filePath(QStringLiteral("graph.png")));
    QCOMPARE(png.width(),
             static_cast<int>(std::ceil(graphview::GraphSnapshot::size_of(console.view().layout()).width())));
    QCOMPARE(png.height(),
             static_cast<int>(std::ceil(graphview::GraphSnapshot::size_of(console.view().layout()).height())));
}

void GraphToolsTest::failed_export_says_why() {
    testing::Console console;
    console.show_chain();
    const QString path = console.folder.filePath(QStringLiteral("no such folder/graph.svg"));
    const auto written = shell::write_picture(graphview::GraphSnapshot(console.view(), QStringLiteral("chain")), path);
    QVERIFY(!written.ok());
    QVERIFY2(written.error().message().find("no such folder") != std::string::npos, written.error().message().c_str());
}

void GraphToolsTest::cut_snaps_only_near_a_legal_position() {
    testing::Console console;
    console.show_chain({4});
    graphview::GraphView& view = console.view();
    QWidget* target = view.viewport();
    const QPoint there = view.cut_drag().snap_point(6), between = (view.cut_drag().snap_point(5) + there) / 2;
    QVERIFY(there.y() - between.y() > 30);
    QTest::mousePress(target, Qt::LeftButton, {}, view.cut_drag().handle(0));
    move(target, between - QPoint(0, 20), {});
    move(target, between, {});
    QVERIFY(console.document().previewing());
    QVERIFY(!view.cut_drag().snapped());
    console.shot("drag-free");
    move(target, there, {});
    QVERIFY(view.cut_drag().snapped());
    QCOMPARE(console.document().shown_cuts(), Cuts{6});
    console.shot("drag-snapped");
    move(target, there, Qt::AltModifier);
    QVERIFY(!view.cut_drag().snapped());
    QCOMPARE(console.document().shown_cuts(), Cuts{6});  // a drop would land here
    move(target, there, {});
    QVERIFY(view.cut_drag().snapped());
    QTest::keyPress(&view, Qt::Key_Alt);  // the pointer does not move meanwhile
    QVERIFY(!view.cut_drag().snapped());
    QTest::keyRelease(&view, Qt::Key_Alt);
    QVERIFY(view.cut_drag().snapped());
    QTest::mouseRelease(target, Qt::LeftButton, {}, there);
    QCOMPARE(console.cuts(), Cuts{6});
}

void GraphToolsTest::impossible_drop_is_refused_in_advance() {
    PricedWindow window;
    QVERIFY(window.settle());
    testing::Console& console = *window.console;
    const Cuts before = console.cuts();
    window.leave_no_memory();
    QTRY_VERIFY_WITH_TIMEOUT(!window.board().refusal(0, 0).isEmpty(), 20'000);
    console.view().scopes().open_all();
    console.view().camera().fit_all();
    console.drag(0, 0, false);
    QVERIFY(console.document().previewing());
    QTRY_VERIFY_WITH_TIMEOUT(console.view().cut_drag().refusal().contains(QStringLiteral("stage")), 20'000);
    QCOMPARE(console.view().viewport()->cursor().shape(), Qt::ForbiddenCursor);
    console.shot("drop-refused");
    QTest::mouseRelease(console.view().viewport(), Qt::LeftButton, {}, console.view().cut_drag().snap_point(0));
    QCOMPARE(console.cuts(), before);
    QVERIFY(!console.document().previewing());
    QCOMPARE(console.document().undo_stack().count(), 0);
    QVERIFY2(console.find<QLabel>("hint")->text().contains(QStringLiteral("stays where it was")),
             qPrintable(console.find<QLabel>("hint")->text()));
    QVERIFY(console.view().cut_drag().refusal().isEmpty());
}

void GraphToolsTest::impossible_drop_in_the_strip_is_refused() {
    PricedWindow window;
    QVERIFY(window.settle());
    testing::Console& console = *window.console;
    const Cuts before = console.cuts();
    window.leave_no_memory();
    QTRY_VERIFY_WITH_TIMEOUT(!window.board().refusal(0, 0).isEmpty(), 20'000);
    auto* strip = console.find<graphview::LandscapeStrip>("landscape");
    QTest::mousePress(strip, Qt::LeftButton, {}, strip->point_of(before[0]));
    QTest::mouseMove(strip, strip->point_of(0));
    QCOMPARE(console.document().shown_cuts(), Cuts{0});
    QCOMPARE(strip->cursor().shape(), Qt::ForbiddenCursor);
    QTest::mouseRelease(strip, Qt::LeftButton, {}, strip->point_of(0));
    QCOMPARE(console.cuts(), before);
    QCOMPARE(console.document().undo_stack().count(), 0);
}

void GraphToolsTest::impossible_plan_can_be_corrected() {
    PricedWindow window;
    QVERIFY(window.settle());
    testing::Console& console = *window.console;
    price::NodePool pool = price::default_pool();
    for (price::PlannedDevice& device : pool.nodes) device.memory = 1;  // no cut fits into this memory
    window.board().set_pool(std::move(pool));
    QTRY_VERIFY_WITH_TIMEOUT(
        window.board().prices() && window.board().prices()->obstacles.size() > 10 &&
            !window.board().prices()->obstacles[static_cast<std::size_t>(console.cuts()[0])].isEmpty(),
        20'000);
    QVERIFY(!window.board().prices()->obstacles[10].isEmpty());
    QVERIFY(window.board().refusal(0, 10).isEmpty());
    auto* strip = console.find<graphview::LandscapeStrip>("landscape");
    QTest::mousePress(strip, Qt::LeftButton, {}, strip->point_of(console.cuts()[0]));
    QTest::mouseMove(strip, strip->point_of(10));
    QTest::mouseRelease(strip, Qt::LeftButton, {}, strip->point_of(10));
    QCOMPARE(console.cuts(), Cuts{10});
}

void GraphToolsTest::lasso_paints_the_operators_inside() {
    testing::Console console;
    console.show_chain({4});
    graphview::GraphView& view = console.view();
    view.camera().fit_all();
    QTest::keyClick(console.window.get(), Qt::Key_P);
    QVERIFY(view.brush().painting());
    view.brush().choose(1);
    const auto rect_of = [&](graph::NodeIndex node) {
        return view.layout().blocks()[static_cast<std::size_t>(view.layout().placed_at(node))].rect;
    };
    const QRectF around = (rect_of(1) | rect_of(2)).adjusted(-30, 0, 30, 0);
    QTest::mousePress(view.viewport(), Qt::LeftButton, Qt::ShiftModifier, view.mapFromScene(around.topLeft()));
    for (const QPointF& corner : {around.topRight(), around.bottomRight(), around.bottomLeft()})
        move(view.viewport(), view.mapFromScene(corner), Qt::ShiftModifier);
    console.shot("lasso");
    QTest::mouseRelease(view.viewport(), Qt::LeftButton, Qt::ShiftModifier, view.mapFromScene(around.bottomLeft()));
    const model::Painting* painting = console.document().painting();
    QVERIFY(painting != nullptr);
    const std::vector<std::int32_t> first(painting->segment_of.begin(), painting->segment_of.begin() + 4);
    QCOMPARE(first, (std::vector<std::int32_t>{0, 1, 1, 0}));
    QCOMPARE(console.document().undo_stack().count(), 1);
    QTest::keyClick(console.window.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(!console.document().painting());
}

void GraphToolsTest::opening_all_scopes_keeps_the_selection() {
    PricedWindow window;
    QVERIFY(window.settle());
    graphview::GraphView& view = window.console->view();
    view.scopes().reveal(20);
    const std::int32_t selected = view.selection().block();
    QVERIFY(selected >= 0);
    const auto place = [&] {
        return view.mapFromScene(view.layout().blocks()[static_cast<std::size_t>(view.layout().placed_at(20))].rect);
    };
    const QPointF before = place().boundingRect().topLeft();
    view.scopes().open_all();
    QCOMPARE(view.selection().block(), selected);
    QVERIFY((place().boundingRect().topLeft() - before).manhattanLength() <= 3);
}

DIVISI_WINDOW_TEST(GraphToolsTest)

}  // namespace graph_tools_test

#include "graph_tools_test.moc"
