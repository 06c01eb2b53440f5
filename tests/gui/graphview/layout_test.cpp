// SPDX-License-Identifier: GPL-3.0-or-later
// Tests slow layouts: the window stays responsive, shows a notice, and can cancel them.
#include <QPushButton>
#include <QToolButton>

#include "app/graphview/placing/layout_notice.h"
#include "tests/gui/console.h"
#include "tests/support/test_program.h"
#include "tests/unit/app/held_layouts.h"

namespace layout_test {

using namespace divisi;
using graphview::GraphView;

namespace {

/// Positions are rounded to whole pixels of a zoomed picture, so nearby points count as equal.
bool near(QPoint a, QPoint b) { return (a - b).manhattanLength() <= 2; }

/// A fixture with a console whose large layouts wait until the test releases them.
struct HeldConsole {
    testing::HeldLayouts held;  // outlives the window
    testing::Console console;

    HeldConsole() { view().scopes().layouts().service().set_make(held.make()); }

    GraphView& view() { return console.view(); }
    std::size_t shown() { return view().layout().blocks().size(); }
    graphview::LayoutNotice& notice() { return *console.find<graphview::LayoutNotice>("layoutNotice"); }
    QString text() { return console.find<QLabel>("layoutText")->text(); }
    void click(const char* button) { QTest::mouseClick(console.find<QAbstractButton>(button), Qt::LeftButton); }
    bool notice_comes() {
        return QTest::qWaitFor([&] { return notice().shows_progress(); }, 10'000);
    }
    bool ends() {
        return QTest::qWaitFor([&] { return !view().scopes().layouts().service().busy(); }, 20'000);
    }

    /// Shows a hundred closed scopes with a hundred operators each.
    void show_scopes() {
        console.document().set_model(
            std::make_shared<const model::LoadedModel>(testing::scoped_chain(100, 100), model::ModelSource{}), {40});
        view().setFocus();
        QCoreApplication::processEvents();
    }
    /// Shows ten thousand operators without scopes.
    void show_flat() {
        console.document().set_model(
            std::make_shared<const model::LoadedModel>(testing::chain(10'000), model::ModelSource{}), {40});
        view().setFocus();
        QCoreApplication::processEvents();
    }
    /// Returns the n-th outermost scope of the model.
    std::int32_t scope(std::size_t number) { return console.document().model()->tree.blocks[0].children[number]; }
    /// Returns the viewport position of a scope's first operator.
    QPoint place(std::size_t number) {
        const graph::NodeIndex node =
            console.document().model()->tree.blocks[static_cast<std::size_t>(scope(number))].first;
        const auto& layout = view().layout();
        return view().mapFromScene(layout.blocks()[static_cast<std::size_t>(layout.placed_at(node))].rect.topLeft());
    }
    void look_at(std::size_t number) {
        view().setTransform(QTransform::fromScale(0.5, 0.5));
        const graph::NodeIndex node =
            console.document().model()->tree.blocks[static_cast<std::size_t>(scope(number))].first;
        const auto& layout = view().layout();
        view().centerOn(layout.blocks()[static_cast<std::size_t>(layout.placed_at(node))].rect.center());
    }
};

}  // namespace

class LayoutTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void layout_notice_fits_a_larger_font() {
        HeldConsole shown;
        shown.show_scopes();
        shown.console.action("open_all")->trigger();
        QVERIFY(shown.notice_comes());
        const int height = shown.notice().height();
        shown.console.action("presenter")->trigger();  // enlarges all text, including the notice's
        const auto fits = [&] {
            const graphview::LayoutNotice& notice = shown.notice();
            const int needed =
                notice.hasHeightForWidth() ? notice.heightForWidth(notice.width()) : notice.sizeHint().height();
            return notice.height() >= needed && notice.parentWidget()->rect().contains(notice.geometry());
        };
        const bool grows = QTest::qWaitFor([&] { return shown.notice().height() > height && fits(); }, 5000);
        QVERIFY(grows);
        shown.console.action("presenter")->trigger();
        QVERIFY(QTest::qWaitFor([&] { return shown.notice().height() <= height + 1; }, 5000));
        shown.held.open.release();
        QVERIFY(shown.ends());
    }

    void old_layout_stays_usable_during_a_new_one() {
        HeldConsole shown;
        shown.show_scopes();
        QCOMPARE(shown.shown(), 100u);  // closed scopes are laid out at once
        QVERIFY(!shown.view().scopes().layouts().service().busy());
        shown.console.action("open_all")->trigger();
        QVERIFY(shown.view().scopes().layouts().service().busy());
        QVERIFY(shown.notice().isHidden());  // a short wait needs no notice
        QCOMPARE(shown.shown(), 100u);
        const double zoom = shown.view().camera().zoom();
        shown.view().camera().zoom_in();
        QVERIFY(shown.view().camera().zoom() > zoom);
        shown.look_at(10);
        QTest::mouseClick(shown.view().viewport(), Qt::LeftButton, {}, shown.place(10) + QPoint(20, 10));
        QCOMPARE(shown.view().selection().block(), shown.scope(10));
        QVERIFY(shown.notice_comes());
        QVERIFY2(shown.text().contains(QStringLiteral("10,000")), qPrintable(shown.text()));
        shown.console.shot("laying-out");
        shown.held.open.release();
        QVERIFY(shown.ends());
        QCOMPARE(shown.shown(), 10'000u);
        QVERIFY(shown.notice().isHidden());
        QVERIFY(shown.view().scopes().is_open(shown.scope(7)));
    }

    void cancelled_layout_keeps_the_graph_and_can_be_repeated() {
        HeldConsole shown;
        shown.show_scopes();
        shown.console.action("open_all")->trigger();
        QVERIFY(shown.notice_comes());
        shown.click("layoutCancel");
        QVERIFY(!shown.view().scopes().layouts().service().busy());
        QVERIFY(QTest::qWaitFor([&] { return shown.held.cancelled == 1; }, 10'000));
        QCOMPARE(shown.shown(), 100u);
        QVERIFY(!shown.view().scopes().is_open(shown.scope(7)));
        QVERIFY(shown.notice().isVisible());
        QVERIFY2(shown.text().contains(QStringLiteral("score")), qPrintable(shown.text()));
        QVERIFY(shown.console.find<QToolButton>("layoutClose")->isVisible());
        shown.console.shot("layout-cancelled");
        shown.held.open.release();
        shown.click("layoutAgain");
        QVERIFY(shown.ends());
        QCOMPARE(shown.shown(), 10'000u);
        QVERIFY(shown.notice().isHidden());
    }

    void escape_cancels_the_layout() {
        HeldConsole shown;
        shown.show_scopes();
        shown.console.action("open_all")->trigger();
        QVERIFY(shown.notice_comes());
        QTest::keyClick(&shown.view(), Qt::Key_Escape);
        QVERIFY(!shown.view().scopes().layouts().service().busy());
        QCOMPARE(shown.shown(), 100u);
        QVERIFY(shown.notice().isVisible());
        shown.click("layoutClose");
        QVERIFY(shown.notice().isHidden());
    }

    void first_escape_cancels_the_layout_and_the_next_leaves_presenter_mode() {
        HeldConsole shown;
        shown.show_scopes();
        shown.console.window->present({});
        shown.view().setFocus();
        shown.console.action("open_all")->trigger();
        QVERIFY(shown.notice_comes());
        QTest::keyClick(&shown.view(), Qt::Key_Escape);
        QVERIFY(!shown.view().scopes().layouts().service().busy());
        QVERIFY(testing::WindowParts::presenter(*shown.console.window).on());
        QTest::keyClick(&shown.view(), Qt::Key_Escape);
        QVERIFY(!testing::WindowParts::presenter(*shown.console.window).on());
    }

    void newest_layout_request_wins() {
        HeldConsole shown;
        shown.show_scopes();
        shown.console.action("open_all")->trigger();
        shown.console.action("close_all")->trigger();
        QVERIFY(!shown.view().scopes().layouts().service().busy());
        QTest::qWait(200);  // longer than the notice's delay
        QCOMPARE(shown.shown(), 100u);
        QVERIFY(shown.notice().isHidden());
    }

    void large_model_without_a_layout_shows_a_hint() {
        HeldConsole shown;
        shown.show_flat();
        QVERIFY(shown.view().scopes().layouts().service().busy());
        QCOMPARE(shown.shown(), 0u);
        // Operations on the model must work although there is no layout yet.
        shown.view().cut_focus().show(0);
        shown.view().cut_focus().next();
        shown.view().camera().fit_all();
        shown.console.action("paint")->trigger();
        QVERIFY(shown.console.document().add_cut(70));
        shown.console.document().undo_stack().undo();
        QVERIFY(shown.notice_comes());
        shown.click("layoutCancel");
        QVERIFY(shown.notice().isVisible());
        QVERIFY2(shown.text().contains(QStringLiteral("score")), qPrintable(shown.text()));
        QVERIFY(!shown.console.find<QToolButton>("layoutClose")->isVisible());
        shown.console.shot("not-laid-out");
        shown.click("layoutScore");
        QVERIFY(testing::WindowParts::operator_timeline(*shown.console.window).isVisible());
        // Back in the graph view, the notice is still there, and the layout is shown once it is released.
        shown.console.action("score")->trigger();
        QVERIFY(shown.notice().isVisible());
        shown.held.open.release();
        shown.click("layoutAgain");
        QVERIFY(shown.ends());
        QCOMPARE(shown.shown(), 10'000u);
    }

    void selection_in_the_score_is_kept_in_a_new_layout() {
        HeldConsole shown;
        shown.show_flat();
        shown.console.action("score")->trigger();
        QTest::keyClick(&testing::WindowParts::operator_timeline(*shown.console.window),
                        Qt::Key_Right);  // selects the first operator
        const model::Selection& selection = shown.console.window->context().selection;
        const model::Selected chosen = selection.current();
        QCOMPARE(chosen.kind, model::Selected::Kind::model_block);
        QCOMPARE(shown.view().selection().block(), -1);
        shown.held.open.release();
        QVERIFY(shown.ends());
        QCOMPARE(shown.view().selection().block(), shown.console.document().model()->tree.operator_block[0]);
        QCOMPARE(selection.current(), chosen);
        QCOMPARE(testing::WindowParts::operator_timeline(*shown.console.window).selected(), 0);
    }

    void new_layout_keeps_a_later_selection() {
        HeldConsole shown;
        shown.show_scopes();
        shown.view().selection().select(shown.scope(5), false);
        shown.console.action("open_all")->trigger();
        shown.view().selection().select(shown.scope(10), false);
        const model::Selection& selection = shown.console.window->context().selection;
        const model::Selected chosen = selection.current();
        QCOMPARE(chosen.kind, model::Selected::Kind::model_block);
        shown.held.open.release();
        QVERIFY(shown.ends());
        QCOMPARE(shown.shown(), 10'000u);
        QCOMPARE(selection.current(), chosen);
    }

    void scope_of_a_search_match_stays_open() {
        HeldConsole shown;
        shown.show_scopes();
        shown.view().scopes().open_all();
        shown.held.open.release();
        QVERIFY(shown.ends());
        shown.view().scopes().toggle(shown.scope(5));  // 9,901 blocks are left, so the layout takes time
        QVERIFY(shown.view().scopes().layouts().service().busy());
        const model::BlockTree& tree = shown.console.document().model()->tree;
        const graph::NodeIndex node = tree.blocks[static_cast<std::size_t>(shown.scope(5))].first;
        shown.view().scopes().reveal(node);
        QVERIFY(!shown.view().scopes().layouts().service().busy());
        QVERIFY(shown.view().scopes().is_open(shown.scope(5)));
        QCOMPARE(shown.view().selection().block(), tree.operator_block[static_cast<std::size_t>(node)]);
    }

    void opening_another_model_cancels_the_layout() {
        HeldConsole shown;
        shown.show_flat();
        QVERIFY(shown.view().scopes().layouts().service().busy());
        shown.console.show_chain();
        QVERIFY(!shown.view().scopes().layouts().service().busy());
        QCOMPARE(shown.shown(), 20u);
        QTest::qWait(200);  // longer than the notice's delay
        QCOMPARE(shown.shown(), 20u);
        QVERIFY(shown.notice().isHidden());
    }

    void earlier_layouts_are_reused() {
        testing::Console console;
        console.document().set_model(
            std::make_shared<const model::LoadedModel>(testing::scoped_chain(100, 100), model::ModelSource{}), {40});
        console.view().scopes().open_all();
        console.wait_for_layout();
        console.view().scopes().close_all();
        const int made = console.view().scopes().layouts().service().made();
        for (int i = 0; i < 3; ++i) {
            console.view().scopes().open_all();
            QCOMPARE(console.view().layout().blocks().size(), 10'000u);  // laid out at once
            console.view().scopes().close_all();
            QCOMPARE(console.view().layout().blocks().size(), 100u);
        }
        QCOMPARE(console.view().scopes().layouts().service().made(), made);
    }

    void an_opened_scope_keeps_the_others_in_their_places() {
        HeldConsole shown;
        shown.show_scopes();
        shown.look_at(50);
        const QPoint above = shown.place(48), opened = shown.place(50);
        shown.view().scopes().toggle(shown.scope(50));
        QVERIFY(shown.view().scopes().is_open(shown.scope(50)));
        QVERIFY(near(shown.place(50), opened));
        QCOMPARE(shown.place(48).x(), above.x());
        shown.view().scopes().toggle(shown.scope(50));
        QVERIFY(near(shown.place(48), above));
        QVERIFY(near(shown.place(50), opened));
    }

    void block_at_the_centre_stays_in_place() {
        HeldConsole shown;
        shown.show_scopes();
        shown.console.action("open_all")->trigger();
        shown.look_at(90);  // scrolls away after the layout was requested
        const QPoint middle = shown.place(90);
        QVERIFY(shown.view().viewport()->rect().contains(middle));
        shown.held.open.release();
        QVERIFY(shown.ends());
        QCOMPARE(shown.shown(), 10'000u);
        QVERIFY2(near(shown.place(90), middle), qPrintable(QString::number(shown.place(90).y())));
    }

    void new_layout_waits_for_the_end_of_a_gesture() {
        HeldConsole shown;
        shown.show_scopes();
        shown.console.action("open_all")->trigger();
        QWidget* target = shown.view().viewport();
        const QPoint from = target->rect().center();
        QTest::mousePress(target, Qt::LeftButton, {}, from);
        QTest::mouseMove(target, from + QPoint(40, 40));
        shown.held.open.release();
        QVERIFY(shown.ends());
        QCOMPARE(shown.shown(), 100u);  // not replaced during a drag
        QTest::mouseRelease(target, Qt::LeftButton, {}, from + QPoint(40, 40));
        QCOMPARE(shown.shown(), 10'000u);
    }

    void window_can_close_during_a_layout() {
        HeldConsole shown;
        shown.show_flat();
        QVERIFY(QTest::qWaitFor([&] { return shown.held.begun.available() > 0; }, 10'000));
        shown.console.window.reset();  // would never return if it waited for the held layout
        QCOMPARE(shown.held.cancelled.load(), 1);
    }

    void search_opens_the_scopes_of_its_match() {
        HeldConsole shown;
        shown.show_scopes();
        shown.held.open.release();
        shown.console.action("find")->trigger();
        auto* input = shown.console.find<QLineEdit>("searchInput");
        QTest::keyClicks(input, QStringLiteral("/stack/77/Gemm42"));
        QTest::keyClick(input, Qt::Key_Return);
        QVERIFY(shown.ends());
        const model::BlockTree& tree = shown.console.document().model()->tree;
        QVERIFY(shown.view().selection().block() >= 0);
        QCOMPARE(tree.blocks[static_cast<std::size_t>(shown.view().selection().block())].path,
                 std::string("/stack/77/Gemm42"));
    }
};

DIVISI_WINDOW_TEST(LayoutTest)

}  // namespace layout_test

#include "layout_test.moc"
