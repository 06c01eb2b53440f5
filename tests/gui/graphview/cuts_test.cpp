// SPDX-License-Identifier: GPL-3.0-or-later
// Tests cuts made by hand: the effect of pointer and keys on the plan.
#include <QAccessible>
#include <QImage>
#include <QPainter>
#include <QSpinBox>
#include <QTableWidget>

#include "tests/support/test_program.h"

#include "tests/gui/console.h"

namespace cuts_test {

using namespace divisi;
using model::Cuts;

class CutsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void drag_moves_the_cut_as_one_undo_step() {
        testing::Console console;
        console.show_chain();
        console.drag(0, 6);
        QCOMPARE(console.cuts(), Cuts{6});
        QCOMPARE(console.document().undo_stack().count(), 1);
        const std::string name = console.document().model()->graph.nodes[console.document().position(6)].name;
        QVERIFY(console.window->context().draft.text().contains(QString::fromStdString(name)));
        QTest::keyClick(console.window.get(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(console.cuts(), Cuts{4});
        QTest::keyClick(console.window.get(), Qt::Key_Y, Qt::ControlModifier);
        QCOMPARE(console.cuts(), Cuts{6});
    }

    void drag_previews_the_work_on_both_sides_of_the_cut() {
        testing::Console console;
        console.show_chain();
        console.drag(0, 7, false);
        QVERIFY(console.document().previewing());
        QCOMPARE(console.document().shown_cuts(), Cuts{7});
        QCOMPARE(console.cuts(), Cuts{4});
        auto* table = console.find<QTableWidget>("segmentTable");
        QCOMPARE(table->rowCount(), 2);
        const std::string name = console.document().model()->graph.nodes[console.document().position(7)].name;
        QCOMPARE(table->item(0, 6)->text(), QString::fromStdString(name));
        QTest::mouseRelease(console.view().viewport(), Qt::LeftButton, {}, console.view().cut_drag().snap_point(7));
        QCOMPARE(console.cuts(), Cuts{7});
    }

    void escape_cancels_a_drag_of_a_cut() {
        testing::Console console;
        console.show_chain();
        console.drag(0, 7, false);
        QTest::keyClick(&console.view(), Qt::Key_Escape);
        QVERIFY(!console.document().previewing());
        QTest::mouseMove(console.view().viewport(), console.view().cut_drag().snap_point(2));
        QTest::mouseRelease(console.view().viewport(), Qt::LeftButton, {}, console.view().cut_drag().snap_point(7));
        QCOMPARE(console.cuts(), Cuts{4});
        QCOMPARE(console.document().undo_stack().count(), 0);
    }

    void click_without_a_drag_moves_no_cut() {
        testing::Console console;
        console.show_chain();
        const QPoint handle = console.view().cut_drag().handle(0);
        QTest::mouseClick(console.view().viewport(), Qt::LeftButton, {}, handle);
        QTest::mouseClick(console.view().viewport(), Qt::LeftButton, {}, handle + QPoint(0, 3));
        QCOMPARE(console.cuts(), Cuts{4});
        QCOMPARE(console.document().undo_stack().count(), 0);
        QCOMPARE(console.view().cut_focus().cut(), 0);
    }

    void arrows_move_by_one_legal_position() {
        testing::Console console;
        console.show_chain();
        QTest::keyClick(&console.view(), Qt::Key_Tab);
        QCOMPARE(console.view().cut_focus().cut(), 0);
        QTest::keyClick(&console.view(), Qt::Key_Down);
        QCOMPARE(console.cuts(), Cuts{5});
        QTest::keyClick(&console.view(), Qt::Key_Up);
        QTest::keyClick(&console.view(), Qt::Key_Up);
        QCOMPARE(console.cuts(), Cuts{3});
        QCOMPARE(console.document().undo_stack().count(), 3);
    }

    void shift_and_arrows_move_by_ten_legal_positions() {
        testing::Console console;
        console.show_chain({2, 17});
        QVERIFY(console.document().legal_count() > 17);
        QTest::keyClick(&console.view(), Qt::Key_Tab);
        QTest::keyClick(&console.view(), Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(console.cuts(), (Cuts{12, 17}));
        QTest::keyClick(&console.view(), Qt::Key_Down, Qt::ShiftModifier);  // moves as far as the next cut allows
        QCOMPARE(console.cuts(), (Cuts{16, 17}));
        QTest::keyClick(&console.view(), Qt::Key_Up, Qt::ShiftModifier);
        QCOMPARE(console.cuts(), (Cuts{6, 17}));
        QCOMPARE(console.document().undo_stack().count(), 3);
    }

    void tab_visits_each_cut_then_leaves_the_graph() {
        testing::Console console;
        console.show_chain({4, 9});
        QTest::keyClick(&console.view(), Qt::Key_Tab);
        QTest::keyClick(&console.view(), Qt::Key_Tab);
        QCOMPARE(console.view().cut_focus().cut(), 1);
        QTest::keyClick(&console.view(), Qt::Key_Backtab, Qt::ShiftModifier);
        QCOMPARE(console.view().cut_focus().cut(), 0);
        QTest::keyClick(&console.view(), Qt::Key_Tab);
        QTest::keyClick(&console.view(), Qt::Key_Tab);
        QCOMPARE(console.view().cut_focus().cut(), -1);
    }

    void screen_reader_hears_the_focused_cut() {
        testing::Console console;
        console.show_chain();
        const auto told = [&] {
            return QAccessible::queryAccessibleInterface(&console.view())->text(QAccessible::Description);
        };
        QVERIFY2(told().isEmpty(), qPrintable(told()));
        QTest::keyClick(&console.view(), Qt::Key_Tab);
        const auto name = [&] { return QString::fromStdString(console.document().cut_names()[0]); };
        QVERIFY2(told().contains(name()), qPrintable(told()));
        QTest::keyClick(&console.view(), Qt::Key_Down);
        QVERIFY2(told().contains(name()), qPrintable(told()));
        QTest::keyClick(&console.view(), Qt::Key_Escape);
        QTest::keyClick(&console.view(), Qt::Key_Down);
        QVERIFY(console.view().selection().block() >= 0);
        QVERIFY2(told().contains(QStringLiteral("Gemm")), qPrintable(told()));
    }

    void cuts_do_not_pass_each_other() {
        testing::Console console;
        console.show_chain({4, 6});
        console.drag(0, 9);
        QCOMPARE(console.cuts(), (Cuts{5, 6}));
    }

    /// Cuts drawn as lines would cover the scope's title and each other.
    void cuts_inside_a_closed_scope_are_counted_at_its_edge() {
        testing::Console console;
        console.document().set_model(
            std::make_shared<const model::LoadedModel>(testing::scoped_chain(3, 40), model::ModelSource{}),
            {19, 20, 21});
        graphview::GraphView& view = console.view();
        view.scopes().close_all();
        view.camera().zoom_reset();
        view.cut_focus().focus(-1);
        QCoreApplication::processEvents();
        std::int32_t scope = 0;  // the scope that the cuts divide; the layout decides which one
        while (view.layout().blocks()[static_cast<std::size_t>(scope)].last < console.document().position(20)) ++scope;
        const QRect box =
            view.mapFromScene(view.layout().blocks()[static_cast<std::size_t>(scope)].rect).boundingRect();
        const auto ticks = view.cut_drag().overlay().ticks();
        QCOMPARE(ticks.size(), std::size_t{3});
        for (std::size_t i = 0; i < ticks.size(); ++i) {
            QVERIFY(ticks[i].box.intersects(QRectF(box).adjusted(-1, -1, 120, 1)));
            for (std::size_t j = 0; j < i; ++j) QVERIFY(!ticks[i].box.intersects(ticks[j].box));
        }
        // Nothing is drawn inside the scope: it looks as it does without cuts.
        const QRect inside = box.adjusted(6, 6, -24, -6);
        const auto look = [&] { return view.viewport()->grab(inside).toImage(); };
        const QImage with = look();
        const QColor line = model::dark_colours().text;
        const auto rows_of_line = [&](const QImage& image) {  // rows of pixels that all have the colour of a cut
            int rows = 0;
            for (int y = 0; y < image.height(); ++y) {
                int pixels = 0;
                for (int x = 0; x < image.width(); ++x) pixels += image.pixelColor(x, y) == line ? 1 : 0;
                rows += pixels > image.width() / 2 ? 1 : 0;
            }
            return rows;
        };
        QCOMPARE(rows_of_line(with), 0);
        console.shot("cuts-in-closed-scope");
    }

    void cut_in_a_folded_row_moves_to_the_pointer() {
        testing::Console console;
        console.document().set_model(testing::chain_model(1000), {0});
        console.view().scopes().open_all();
        QCoreApplication::processEvents();
        const graphview::Layout& layout = console.view().layout();
        QVERIFY(layout.folded());
        const std::int32_t columns = layout.rows()[0].columns;
        const std::int32_t second_row = columns;  // its first operator is to the left of the cut
        QVERIFY(console.view().viewport()->rect().contains(console.view().cut_drag().snap_point(second_row)));
        console.drag(0, second_row);
        QCOMPARE(console.cuts(), Cuts{second_row});
        QCOMPARE(console.document().undo_stack().count(), 1);
        console.shot("folded");
    }

    void cut_in_a_folded_row_snaps_to_positions_along_the_row() {
        testing::Console console;
        console.document().set_model(testing::chain_model(1000), {0});
        console.view().scopes().open_all();
        QCoreApplication::processEvents();
        graphview::GraphView& view = console.view();
        const graphview::Row& row = view.layout().rows()[1];
        QVERIFY(row.folded());
        const std::int32_t legal = row.first;  // after the first block of the row
        const QPoint there = view.cut_drag().snap_point(legal);
        const auto move = [&](QPoint at) { QTest::mouseMove(view.viewport(), at); };
        console.drag(0, legal, false);
        QCOMPARE(console.document().shown_cuts(), Cuts{legal});
        QVERIFY(view.cut_drag().snapped());
        // The pointer is at the right height, but a third of a block away. A drop would put the cut there, but the
        // pointer is not on the cut.
        const auto third = static_cast<int>(view.camera().zoom() * graphview::metrics::block_width / 3);
        QVERIFY(third > 24);
        move(there + QPoint(third, 0));
        QCOMPARE(console.document().shown_cuts(), Cuts{legal});
        QVERIFY(!view.cut_drag().snapped());
        // The pointer is at the right place along the row, but in the gap below the blocks.
        const int low = view.mapFromScene(QPointF(0, row.bottom + graphview::metrics::row_gap / 4)).y();
        QVERIFY(low - there.y() > 24);
        move(QPoint(there.x(), low));
        QCOMPARE(console.document().shown_cuts(), Cuts{legal});
        QVERIFY(view.cut_drag().snapped());
        console.shot("folded-snapped");
        QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, QPoint(there.x(), low));
        QCOMPARE(console.cuts(), Cuts{legal});
    }

    void the_guide_of_a_cut_in_a_folded_row_follows_its_line() {
        testing::Console console;
        console.document().set_model(testing::chain_model(1000), {0});
        console.view().scopes().open_all();
        const graphview::Layout& layout = console.view().layout();
        const graphview::Row& row = layout.rows()[0];
        QVERIFY(row.folded());
        const std::int32_t legal = row.first + row.columns / 2;  // divides the row in the middle
        console.document().set_cuts({legal}, QStringLiteral("cut"));
        const graphview::CutLine line = layout.cut_line(console.document().position(legal));
        QVERIFY(!line.straight());
        QImage image(400, 300, QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::white);
        // Put the step of the line in the middle of the picture.
        const QTransform to_picture =
            QTransform::fromTranslate(200 - line.step_x, 150 - (line.left_y + line.right_y) / 2);
        QPainter painter(&image);
        const graphview::CutOverlay overlay(console.document(), layout, model::light_colours(), to_picture,
                                            QRectF(image.rect()));
        overlay.paint_guide(painter, 0, true, 150);
        painter.end();
        const auto marked = [&](double x, double y) {
            return image.pixel(static_cast<int>(x), static_cast<int>(y)) != qRgb(255, 255, 255);
        };
        const double left_y = to_picture.map(QPointF(0, line.left_y)).y();
        const double right_y = to_picture.map(QPointF(0, line.right_y)).y();
        QVERIFY(left_y - right_y > 40);
        QVERIFY(marked(100, left_y));
        QVERIFY(!marked(100, right_y));
        QVERIFY(marked(200, 150));  // halfway between left_y and right_y
        QVERIFY(marked(300, right_y));
        QVERIFY(!marked(300, left_y));
    }

    void a_folded_row_has_the_colours_of_all_its_blocks() {
        testing::Console console;
        console.document().set_model(testing::chain_model(1024), {0});
        console.view().scopes().open_all();
        graphview::GraphView& view = console.view();
        const graphview::Layout& layout = view.layout();
        const graphview::Row row = layout.rows()[0];
        QVERIFY(row.folded());
        // The left half of every row is one segment, the right half another.
        model::Painting painting = console.document().start_painting();
        for (std::size_t node = 0; node < painting.segment_of.size(); ++node) {
            const auto column = static_cast<std::int32_t>(node) % row.columns;
            painting.segment_of[node] = column < row.columns / 2 ? 0 : 1;
        }
        console.document().preview(model::Split{{}, painting});
        const auto parts = view.colours().parts(row, 0);
        QCOMPARE(parts.size(), 2u);
        QCOMPARE(parts[0].colour, view.colours().colour(row.first));
        QCOMPARE(parts[1].colour, view.colours().colour(row.first + row.count - 1));
        QVERIFY(parts[0].colour != parts[1].colour);
        QCOMPARE(parts[0].left, layout.blocks()[static_cast<std::size_t>(row.first)].rect.left());
        QCOMPARE(parts[0].right, parts[1].left);
        QCOMPARE(parts[1].left, layout.blocks()[static_cast<std::size_t>(row.columns / 2)].rect.left());
        QCOMPARE(view.colours().parts(row, 1e9).size(), 1u);  // narrower than a pixel
        // Check the graph at a small zoom, and the overview beside it.
        view.setTransform(QTransform::fromScale(0.03, 0.03));
        view.centerOn(layout.bounds().center());
        QCoreApplication::processEvents();
        const QImage graph = view.viewport()->grab().toImage();
        for (const std::int32_t block : {row.first, row.first + row.count - 1}) {
            const QRectF& rect = layout.blocks()[static_cast<std::size_t>(block)].rect;
            const QPoint at = view.mapFromScene(rect.center());
            QVERIFY(graph.rect().adjusted(1, 1, -1, -1).contains(at));
            QStringList seen;  // a row is barely more than a pixel high
            for (const int y : {-1, 0, 1}) seen << graph.pixelColor(at + QPoint(0, y)).name();
            QVERIFY2(seen.contains(view.colours().colour(block).name()), qPrintable(seen.join(u' ')));
        }
        auto* minimap = console.find<QWidget>("minimap");
        const QImage map = minimap->grab().toImage();
        std::size_t divided = 0;
        for (int y = 0; y < map.height(); ++y)
            if (map.pixel(map.width() / 4, y) != map.pixel(map.width() * 3 / 4, y)) ++divided;
        QVERIFY2(divided >= layout.rows().size() / 2, qPrintable(QString::number(divided)));
        console.document().drop_preview();
        const QImage plain = minimap->grab().toImage();
        for (int y = 4; y < plain.height() - 4; ++y)
            QCOMPARE(plain.pixel(plain.width() / 4, y), plain.pixel(plain.width() * 3 / 4, y));
    }

    void colours_change_only_between_old_and_new_cut() {
        testing::Console console;
        console.show_chain();
        console.action("colour_segment")->trigger();
        QSignalSpy colours(&console.view().colours(), &graphview::BlockColours::changed);
        console.drag(0, 6, false);
        QCOMPARE(console.document().shown_cuts(), Cuts{6});
        QCOMPARE(console.view().colours().segment(5), 0);
        QCOMPARE(console.view().colours().segment(6), 0);
        QCOMPARE(console.view().colours().segment(7), 1);
        QVERIFY(!colours.isEmpty());
        colours.clear();
        QTest::mouseRelease(console.view().viewport(), Qt::LeftButton, {}, console.view().cut_drag().snap_point(6));
        QCOMPARE(console.cuts(), Cuts{6});
        QCOMPARE(colours.count(), 0);
        QTest::keyClick(console.window.get(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(!colours.isEmpty());
        QCOMPARE(console.view().colours().segment(5), 1);
        // Blocks keep their colours when they are laid out again.
        console.view().scopes().close_all();
        console.view().scopes().open_all();
        QCOMPARE(console.view().colours().segment(4), 0);
        QCOMPARE(console.view().colours().segment(5), 1);
    }

    void cuts_can_be_added_removed_and_spread_equally() {
        testing::Console console;
        console.show_chain({});
        console.action("add_cut")->trigger();
        QCOMPARE(console.cuts().size(), 1u);
        QCOMPARE(console.view().cut_focus().cut(), 0);
        QTest::keyClick(console.window.get(), Qt::Key_Delete);
        QCOMPARE(console.cuts(), Cuts{});
        console.find<QSpinBox>("stages")->setValue(4);
        console.action("equal")->trigger();
        QCOMPARE(console.cuts().size(), 3u);
        const auto segments = console.document().segments();
        for (const auto& segment : segments) QVERIFY(qAbs(segment.share - 0.25) < 0.06);
    }

    void a_scope_opens_and_closes_by_double_click() {
        testing::Console console;
        model::ModelSource gpt;
        gpt.zoo = "gpt";
        const auto model = model::load_model(gpt);
        QVERIFY(model.ok());
        console.document().set_model(*model);
        console.view().scopes().close_all();
        console.view().camera().zoom_reset();
        const std::size_t before = console.view().layout().blocks().size();
        const QRectF block = console.view().layout().blocks()[0].rect;
        const QPoint at = console.view().mapFromScene(block.center());
        QTest::mouseDClick(console.view().viewport(), Qt::LeftButton, {}, at);
        QVERIFY(console.view().layout().blocks().size() > before);
        QVERIFY(!console.view().layout().scopes().empty());
        const QPointF header = console.view().layout().scopes()[0].rect.topLeft() + QPointF(40, 12);
        QTest::mouseDClick(console.view().viewport(), Qt::LeftButton, {}, console.view().mapFromScene(header));
        QCOMPARE(console.view().layout().blocks().size(), before);
    }
};

DIVISI_WINDOW_TEST(CutsTest)

}  // namespace cuts_test

#include "cuts_test.moc"
