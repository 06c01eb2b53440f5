// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts by hand: what a pointer and the keys do to the plan.
#include <QAccessible>
#include <QTableWidget>

#include "tests/gui/console.h"

using namespace divisi;
using model::Cuts;

class CutsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void a_drag_moves_the_cut_and_is_one_step() {
        testing::Console console;
        console.show_chain();
        console.drag(0, 6);
        QCOMPARE(console.cuts(), Cuts{6});
        QCOMPARE(console.document().undo_stack().count(), 1);
        const std::string name = console.document().model()->graph.nodes[console.document().position(6)].name;
        QVERIFY(console.window->draft().text().contains(QString::fromStdString(name)));
        QTest::keyClick(console.window.get(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(console.cuts(), Cuts{4});
        QTest::keyClick(console.window.get(), Qt::Key_Y, Qt::ControlModifier);
        QCOMPARE(console.cuts(), Cuts{6});
    }

    void a_drag_previews_work_on_both_sides() {
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
        QTest::mouseRelease(console.view().viewport(), Qt::LeftButton, {}, console.view().snap_point(7));
        QCOMPARE(console.cuts(), Cuts{7});
    }

    void escape_restores() {
        testing::Console console;
        console.show_chain();
        console.drag(0, 7, false);
        QTest::keyClick(&console.view(), Qt::Key_Escape);
        QVERIFY(!console.document().previewing());
        QTest::mouseMove(console.view().viewport(), console.view().snap_point(2));
        QTest::mouseRelease(console.view().viewport(), Qt::LeftButton, {}, console.view().snap_point(7));
        QCOMPARE(console.cuts(), Cuts{4});
        QCOMPARE(console.document().undo_stack().count(), 0);
    }

    void a_click_moves_nothing() {
        testing::Console console;
        console.show_chain();
        const QPoint handle = console.view().cut_handle(0);
        QTest::mouseClick(console.view().viewport(), Qt::LeftButton, {}, handle);
        QTest::mouseClick(console.view().viewport(), Qt::LeftButton, {}, handle + QPoint(0, 3));
        QCOMPARE(console.cuts(), Cuts{4});
        QCOMPARE(console.document().undo_stack().count(), 0);
        QCOMPARE(console.view().focused_cut(), 0);
    }

    void arrows_move_by_one_legal_position() {
        testing::Console console;
        console.show_chain();
        QTest::keyClick(&console.view(), Qt::Key_Tab);
        QCOMPARE(console.view().focused_cut(), 0);
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
        QTest::keyClick(&console.view(), Qt::Key_Down, Qt::ShiftModifier);  // as far as the next cut lets it
        QCOMPARE(console.cuts(), (Cuts{16, 17}));
        QTest::keyClick(&console.view(), Qt::Key_Up, Qt::ShiftModifier);
        QCOMPARE(console.cuts(), (Cuts{6, 17}));
        QCOMPARE(console.document().undo_stack().count(), 3);
    }

    void tab_goes_through_the_cuts_and_on() {
        testing::Console console;
        console.show_chain({4, 9});
        QTest::keyClick(&console.view(), Qt::Key_Tab);
        QTest::keyClick(&console.view(), Qt::Key_Tab);
        QCOMPARE(console.view().focused_cut(), 1);
        QTest::keyClick(&console.view(), Qt::Key_Backtab, Qt::ShiftModifier);
        QCOMPARE(console.view().focused_cut(), 0);
        QTest::keyClick(&console.view(), Qt::Key_Tab);
        QTest::keyClick(&console.view(), Qt::Key_Tab);
        QCOMPARE(console.view().focused_cut(), -1);
    }

    void a_screen_reader_is_told_what_is_focused() {
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
        QVERIFY(console.view().selected_block() >= 0);
        QVERIFY2(told().contains(QStringLiteral("Gemm")), qPrintable(told()));
    }

    void cuts_do_not_pass_each_other() {
        testing::Console console;
        console.show_chain({4, 6});
        console.drag(0, 9);
        QCOMPARE(console.cuts(), (Cuts{5, 6}));
    }

    void a_cut_in_a_folded_row_goes_to_the_place_of_the_pointer() {
        testing::Console console;
        console.document().set_model(testing::chain_model(1000), {0});
        console.view().openAll();
        QCoreApplication::processEvents();
        const graphview::Layout& layout = console.view().layout();
        QVERIFY(layout.folded());
        const std::int32_t columns = layout.rows()[0].columns;
        const std::int32_t second_row = columns;  // its first operator is on the left of the cut
        QVERIFY(console.view().viewport()->rect().contains(console.view().snap_point(second_row)));
        console.drag(0, second_row);
        QCOMPARE(console.cuts(), Cuts{second_row});
        QCOMPARE(console.document().undo_stack().count(), 1);
        console.shot("folded");
    }

    void add_remove_and_equal_split() {
        testing::Console console;
        console.show_chain({});
        console.action("add_cut")->trigger();
        QCOMPARE(console.cuts().size(), 1u);
        QCOMPARE(console.view().focused_cut(), 0);
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
        console.view().closeAll();
        console.view().zoomReset();
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

QTEST_MAIN(CutsTest)
#include "cuts_test.moc"
