// SPDX-License-Identifier: GPL-3.0-or-later
// Tests how cuts of a training task are moved in the graph. Covers the preview before a drop, the request to the
// cluster, and the effect of the answer. The last test uses a real embedded cluster.
#include <QPushButton>
#include <QTableWidget>

#include "app/shell/docks/row_marks.h"
#include "app/shell/docks/workbench.h"
#include "backend/control/protocol/task_messages.h"
#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/live_console.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"
#include "tests/system/programs.h"

namespace recut_test {

using namespace divisi;
using model::Cuts;
using testing::ScriptedClient;

namespace {

testing::TaskFile gpt_task() {
    return testing::TaskFile("live")
        .gpt(4, 64, 4, 32)
        .set("data.samples", 256)
        .section("train", {{"steps", 100'000}, {"microbatches", 4}})
        .set("checkpoint.every", 20)
        .set("split.stages", 2);
}

const TaskId live("live-1");

/// The re-cut bar below the graph.
struct Bar {
    testing::Console& console;
    QWidget& bar = *console.find<QWidget>("recutBar");
    QLabel& message = *console.find<QLabel>("recutMessage");
    QPushButton& now = *console.find<QPushButton>("recutNow");
    QPushButton& back = *console.find<QPushButton>("recutBack");

    void press(QPushButton& button) const {
        QCoreApplication::processEvents();
        QTest::mouseClick(&button, Qt::LeftButton);
        QCoreApplication::processEvents();
    }
    void undo() const { QTest::keyClick(console.window.get(), Qt::Key_Z, Qt::ControlModifier); }
    /// Returns a legal position without a cut, next to the existing cut.
    std::int32_t other_place() const {
        const std::int32_t at = console.cuts().front();
        return at > 0 ? at - 1 : at + 1;
    }
};

/// A fixture with a console that shows a task, which trains in a scripted cluster.
struct RecutConsole : testing::ConnectedConsole {
    Bar bar{console};

    explicit RecutConsole(control::Role role = control::Role::operate) : ConnectedConsole(role) {
        cluster.tell(control::ClusterStarted{"lab", "0.1.0"});
    }
    /// Opens the task and lets the cluster train it with the cuts on screen.
    bool train() {
        const QString file = console.write("gpt.toml", gpt_task());
        if (!console.loads([&] { console.window->open_path(file); })) return false;
        if (!QTest::qWaitFor([&] { return console.cuts().size() == 1; }, 60'000)) return false;
        const std::string text = console.window->context().draft.text().toStdString();
        cluster.tell(control::TaskSubmitted{live, "live", text, "/", "", {}, "operator", 0});
        plan("00aa", 1);
        cluster.tell(control::PhaseChanged{live, control::TaskPhase::exchange, ""});
        Q_EMIT cluster.dataChanged();
        Q_EMIT cluster.submitted(QString::fromStdString(live.value()));
        console.view().scopes().open_all();
        console.view().camera().zoom_reset();
        console.view().cut_focus().show(0);
        const auto priced = [&] {
            const auto& prices = console.window->context().prices.prices();
            return prices && prices->ok() && prices->are_of(console.document().split());
        };
        return QTest::qWaitFor(priced, 60'000);
    }
    /// Makes the cuts on screen the plan in force.
    void plan(const char* hash, Generation generation) {
        cluster.tell(
            control::TaskPlanned{live, generation, console.document().cut_names(), 100000, 8, "zoo:gpt", hash, {}});
    }
    std::vector<std::string> names() { return console.document().cut_names(); }
    QString hint() { return console.find<QLabel>("hint")->text(); }
    /// Re-cuts the task to the cuts on screen with the button. The cluster accepts.
    void recut() {
        bar.press(bar.now);
        plan("00bb", 2);
        Q_EMIT cluster.dataChanged();
        cluster.answer(control::Recut{live}, {"00bb", names(), 2, 40, 3, 1 << 20, 400});
    }
    /// Returns advice about the plan "00aa": a cut at the other position.
    control::RecutAdvised advised(bool worth = true) {
        control::RecutAdvised one;
        one.advice.task = live;
        one.advice.plan = "00aa";
        const graph::NodeIndex node = console.document().position(bar.other_place());
        one.advice.cuts = {console.document().model()->graph.nodes[node].name};
        one.advice.step_ms = 100;
        one.advice.gain_ms = 12;
        one.advice.stall_ms = 400;
        one.advice.payback_steps = 1000;
        one.advice.steps_left = 90000;
        one.advice.worth = worth;
        one.advice.why = worth ? "it pays" : "the gain is below 10 % of a step";
        return one;
    }
};

}  // namespace

class RecutTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void drag_shows_its_effect_before_the_drop() {
        RecutConsole shown;
        QVERIFY(shown.train());
        QVERIFY(!shown.bar.bar.isVisible());
        QVERIFY(shown.console.view().cut_card().notes().isEmpty());
        const Cuts before = shown.console.cuts();
        shown.console.drag(0, shown.bar.other_place(), false);
        const QStringList notes = shown.console.view().cut_card().notes();
        QCOMPARE(notes.size(), qsizetype{4});
        QCOMPARE(notes[0], QStringLiteral("Re-cut of live-1, stages: 2"));
        QVERIFY2(notes[2].contains(QStringLiteral("unknown")), qPrintable(notes[2]));
        QVERIFY2(notes[3].contains(QStringLiteral("unknown")), qPrintable(notes[3]));
        // The price of the plan in force is known, so the gain is shown.
        const auto priced = [&] {
            return shown.console.view().cut_card().notes().value(1).contains(QStringLiteral(" now ("));
        };
        QVERIFY2(QTest::qWaitFor(priced, 60'000), qPrintable(shown.console.view().cut_card().notes().value(1)));
        QVERIFY(!shown.bar.bar.isVisible());
        shown.console.shot("recut-drag");
        QTest::keyClick(&shown.console.view(), Qt::Key_Escape);
        QVERIFY(shown.console.view().cut_card().notes().isEmpty());
        QCOMPARE(shown.console.cuts(), before);
        QVERIFY(shown.cluster.all<control::Recut>().empty());
    }

    /// Operators and the instance that runs them are selected together, in any view.
    void selecting_a_block_selects_its_instance() {
        RecutConsole shown;
        QVERIFY(shown.train());
        for (const int stage : {0, 1}) {
            const std::string sid = "live-1/stage-" + std::to_string(stage) + "/0";
            shown.cluster.tell(control::InstancePlaced{live, InstanceId(sid + "#1"), Sid(sid), NodeId("m/a"), stage});
        }
        Q_EMIT shown.cluster.dataChanged();
        model::Selection& selection = shown.console.window->context().selection;
        graphview::GraphView& view = shown.console.view();
        const auto& tree = shown.console.document().model()->tree;
        view.cut_focus().focus(-1);
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_Down);  // selects the first operator
        QVERIFY(view.selection().block() >= 0);
        const model::Block& first = tree.blocks[static_cast<std::size_t>(view.selection().block())];
        QCOMPARE(selection.current(), model::Selected::of_block(first.path, InstanceId("live-1/stage-0/0#1")));
        // If an instance is selected elsewhere, exactly the operators that it runs are marked.
        selection.select(model::Selected::of_instance(InstanceId("live-1/stage-1/0#1"), live));
        const graph::NodeIndex cut = shown.console.document().position(shown.console.cuts().front());
        QVERIFY(!view.selection().contains(tree.operator_block[static_cast<std::size_t>(cut)]));
        QVERIFY(view.selection().contains(tree.operator_block[static_cast<std::size_t>(cut) + 1]));
        QVERIFY(view.selection().contains(tree.operator_block.back()));
        QCOMPARE(view.selection().block(), -1);  // keys do not act on blocks that are only marked
        const auto& score = testing::WindowParts::operator_timeline(*shown.console.window);
        QCOMPARE(score.selected(), cut + 1);
        QCOMPARE(score.last_selected(), shown.console.document().model()->node_count() - 1);
        // Another view can select the block again.
        selection.select(model::Selected::of_block(first.path));
        QCOMPARE(tree.blocks[static_cast<std::size_t>(view.selection().block())].path, first.path);
        selection.clear();
        QCOMPARE(view.selection().block(), -1);
    }

    void stage_of_the_selected_instance_is_marked_in_the_split_table() {
        RecutConsole shown;
        QVERIFY(shown.train());
        const InstanceId second("live-1/stage-1/0#1");
        shown.cluster.tell(control::InstancePlaced{live, second, Sid("live-1/stage-1/0"), NodeId("mic-1/node-1"), 1});
        Q_EMIT shown.cluster.dataChanged();
        const auto& rows = *shown.console.find<QTableWidget>("segmentTable");
        const auto* marks = qobject_cast<const shell::RowMarks*>(rows.itemDelegate());
        QVERIFY(marks);
        model::Selection& selection = shown.console.window->context().selection;
        selection.select(model::Selected::of_instance(second, live));
        const auto marked = [&](int row) { return marks->marks(rows.model()->index(row, 0)); };
        QVERIFY(marked(1) && !marked(0));
        selection.clear();
        QVERIFY(!marked(1));
    }

    void no_recut_is_requested_before_the_button_is_pressed() {
        RecutConsole shown;
        QVERIFY(shown.train());
        const Cuts before = shown.console.cuts();
        shown.console.drag(0, shown.bar.other_place());
        QVERIFY(shown.bar.bar.isVisible());
        QCOMPARE(shown.bar.now.text(), QStringLiteral("Re-cut live-1 now"));
        QVERIFY(shown.bar.message.text().contains(QStringLiteral("Re-cut of live-1")));
        QTRY_VERIFY(shown.bar.message.height() >= shown.bar.message.heightForWidth(shown.bar.message.width()));
        QTRY_VERIFY(shown.bar.now.height() >= shown.bar.now.sizeHint().height());
        shown.console.shot("recut-offered");
        QVERIFY(shown.cluster.all<control::Recut>().empty());
        shown.bar.press(shown.bar.back);
        QCOMPARE(shown.console.cuts(), before);
        QVERIFY(!shown.bar.bar.isVisible());
        QVERIFY(shown.cluster.all<control::Recut>().empty());
    }

    void recut_request_names_the_plan_in_force() {
        RecutConsole shown;
        QVERIFY(shown.train());
        shown.console.drag(0, shown.bar.other_place());
        shown.bar.press(shown.bar.now);
        QCOMPARE(shown.cluster.count<control::Recut>(), std::size_t{1});
        const control::Recut asked = shown.cluster.all<control::Recut>().front();
        QCOMPARE(asked.task, live);
        QCOMPARE(asked.plan, std::string("00aa"));
        QCOMPARE(asked.cuts, shown.console.document().cut_names());
        QVERIFY(!asked.undo && asked.stages == 0);
        QVERIFY(shown.bar.bar.isVisible() && !shown.bar.now.isVisible());  // the re-cut cannot be requested twice
        shown.console.shot("recut-asked");
    }

    void successful_recut_shows_its_cost_and_undo_offers_the_reverse() {
        RecutConsole shown;
        QVERIFY(shown.train());
        const std::vector<std::string> before = shown.console.document().cut_names();
        shown.console.drag(0, shown.bar.other_place());
        shown.bar.press(shown.bar.now);
        shown.plan("00bb", 2);
        Q_EMIT shown.cluster.dataChanged();
        shown.cluster.answer(control::Recut{live},
                             {"00bb", shown.console.document().cut_names(), 2, 40, 3, 1 << 20, 400});
        const QString message = shown.bar.message.text();
        for (const char* part : {"generation 2", "after step 40", "steps repeated: 3"})
            QVERIFY2(message.contains(QString::fromLatin1(part)), qPrintable(message));
        QVERIFY(!shown.bar.now.isVisible());
        shown.console.shot("recut-done");
        shown.bar.undo();
        QCOMPARE(shown.console.document().cut_names(), before);
        QVERIFY(shown.bar.now.isVisible());
        QVERIFY2(shown.bar.message.text().contains(QStringLiteral("as at its last re-cut")),
                 qPrintable(shown.bar.message.text()));
        QCOMPARE(shown.cluster.count<control::Recut>(), std::size_t{1});
        // Request the re-cut with the keyboard this time.
        shown.bar.now.setFocus();
        QTest::keyClick(&shown.bar.now, Qt::Key_Space);
        QCOMPARE(shown.cluster.count<control::Recut>(), std::size_t{2});
        QCOMPARE(shown.cluster.last<control::Recut>().plan, std::string("00bb"));
        QCOMPARE(shown.cluster.last<control::Recut>().cuts, before);
    }

    void one_undo_reverses_all_moves_of_a_recut() {
        RecutConsole shown;
        QVERIFY(shown.train());
        const std::vector<std::string> before = shown.names();
        shown.console.drag(0, shown.bar.other_place());
        const std::vector<std::string> between = shown.names();
        shown.console.document().move_cut(0, shown.bar.other_place());
        QVERIFY(shown.names() != before && shown.names() != between);
        shown.recut();
        shown.bar.undo();
        QCOMPARE(shown.names(), before);
        QVERIFY(shown.bar.now.isVisible());
    }

    void undo_in_the_train_workspace_shows_the_recut_bar() {
        RecutConsole shown;
        QVERIFY(shown.train());
        const std::vector<std::string> before = shown.names();
        shown.console.drag(0, shown.bar.other_place());
        shown.recut();
        shell::Workbench& bench = shown.console.window->workbench();
        bench.set_workspace(shell::Workspace::train);
        shown.bar.undo();
        QCOMPARE(shown.names(), before);
        QCOMPARE(bench.workspace(), shell::Workspace::split);
        QTRY_VERIFY(shown.bar.now.isVisible());
        // Redo leads back to the cuts in force without changing the workspace.
        bench.set_workspace(shell::Workspace::train);
        shown.console.action("redo")->trigger();
        QCOMPARE(bench.workspace(), shell::Workspace::train);
    }

    void cut_moved_during_a_recut_is_kept_as_its_own_undo_step() {
        RecutConsole shown;
        QVERIFY(shown.train());
        const std::vector<std::string> before = shown.names();
        shown.console.drag(0, shown.bar.other_place());
        const std::vector<std::string> asked = shown.names();
        shown.bar.press(shown.bar.now);
        shown.plan("00bb", 2);
        shown.console.document().move_cut(0, shown.bar.other_place());
        const std::vector<std::string> moved = shown.names();
        Q_EMIT shown.cluster.dataChanged();
        shown.cluster.answer(control::Recut{live}, {"00bb", asked, 2, 40, 3, 1 << 20, 400});
        QCOMPARE(shown.names(), moved);
        QVERIFY(shown.bar.now.isVisible());
        QVERIFY2(shown.hint().contains(QStringLiteral("generation 2")), qPrintable(shown.hint()));
        shown.bar.undo();
        QCOMPARE(shown.names(), asked);
        shown.bar.undo();
        QCOMPARE(shown.names(), before);
        QVERIFY(shown.bar.now.isVisible());
    }

    void recut_outcome_is_shown_for_a_task_no_longer_followed() {
        RecutConsole shown;
        QVERIFY(shown.train());
        const std::string before = shown.names().front();
        const TaskId other("other-2");
        shown.cluster.tell(control::TaskSubmitted{other, "other", "", "/", "", {}, "operator", 0});
        Q_EMIT shown.cluster.dataChanged();
        shell::AppContext& context = shown.console.window->context();
        const auto ask_and_leave = [&] {
            shown.console.document().move_cut(0, shown.bar.other_place());
            context.recut.confirm();
            QCOMPARE(context.recut.stage(), model::LiveRecut::Stage::asked);
            context.follow(other);
            QVERIFY(context.recut.stage() != model::LiveRecut::Stage::asked);
        };
        ask_and_leave();
        context.follow(live);  // the request is still in progress
        QCOMPARE(context.recut.stage(), model::LiveRecut::Stage::asked);
        context.follow(other);
        shown.cluster.fail(control::Recut{live}, QStringLiteral("another plan is in force"));
        const auto* message = shown.console.find<QLabel>("messageText");
        QVERIFY2(message->text().contains(QStringLiteral("live-1 was not re-cut")), qPrintable(message->text()));
        QVERIFY2(message->text().contains(QStringLiteral("another plan is in force")), qPrintable(message->text()));
        context.follow(live);
        ask_and_leave();
        QCOMPARE(shown.cluster.count<control::Recut>(), std::size_t{2});
        shown.cluster.answer(control::Recut{live}, {"00bb", shown.names(), 2, 40, 3, 1 << 20, 400});
        QVERIFY2(shown.hint().contains(QStringLiteral("generation 2")), qPrintable(shown.hint()));
        QVERIFY2(!shown.hint().contains(QStringLiteral("Undo")), qPrintable(shown.hint()));
        QVERIFY2(shown.hint().contains(QString::fromStdString(before)), qPrintable(shown.hint()));
    }

    /// Each request is answered separately. No request can be repeated before its answer.
    void two_tasks_can_be_recut_at_the_same_time() {
        RecutConsole shown;
        QVERIFY(shown.train());
        const TaskId second("live-2");
        const std::string text = shown.console.window->context().draft.text().toStdString();
        shown.cluster.tell(control::TaskSubmitted{second, "live", text, "/", "", {}, "operator", 0});
        shown.cluster.tell(control::TaskPlanned{second, 1, shown.names(), 100000, 8, "zoo:gpt", "00dd", {}});
        shown.cluster.tell(control::PhaseChanged{second, control::TaskPhase::exchange, ""});
        Q_EMIT shown.cluster.dataChanged();
        const std::vector<std::string> before = shown.names();
        shell::AppContext& context = shown.console.window->context();
        shown.console.document().move_cut(0, shown.bar.other_place());
        context.recut.confirm();
        context.recut.confirm();
        QCOMPARE(shown.cluster.count<control::Recut>(), std::size_t{1});
        context.follow(second);
        context.recut.confirm();
        QCOMPARE(shown.cluster.count<control::Recut>(), std::size_t{2});
        QCOMPARE(shown.cluster.all<control::Recut>()[1].task, second);
        QCOMPARE(shown.cluster.all<control::Recut>()[1].plan, std::string("00dd"));
        shown.cluster.fail(control::Recut{live}, QStringLiteral("another plan is in force"));
        QCOMPARE(context.recut.stage(), model::LiveRecut::Stage::asked);
        shown.cluster.answer(control::Recut{second}, {"00ee", shown.names(), 2, 40, 3, 1 << 20, 400});
        QCOMPARE(context.recut.stage(), model::LiveRecut::Stage::done);
        shown.bar.undo();
        QCOMPARE(shown.names(), before);
    }

    void advice_applied_without_an_open_model_shows_how_to_undo_it() {
        RecutConsole shown;
        QVERIFY(shown.train());
        const std::string before = shown.names().front();
        const control::RecutAdvised advised = shown.advised();
        shown.console.action("advice")->trigger();
        shown.cluster.answer(control::AskRecutAdvice{live}, advised);
        shown.console.action("close")->trigger();
        QTRY_VERIFY(!shown.console.document().model());
        model::LiveRecut& recut = shown.console.window->context().recut;
        recut.apply_advice();
        QCOMPARE(shown.cluster.count<control::Recut>(), std::size_t{1});
        shown.cluster.answer(control::Recut{live}, {"00bb", advised.advice.cuts, 2, 40, 3, 1 << 20, 400});
        QVERIFY2(!recut.outcome().contains(QStringLiteral("Undo")), qPrintable(recut.outcome()));
        QVERIFY2(recut.outcome().contains(QString::fromStdString(before)), qPrintable(recut.outcome()));
        QCOMPARE(shown.hint(), recut.outcome());  // the bar is hidden, so the outcome is shown as a hint
    }

    void refused_recut_shows_the_reason_and_restores_the_cuts() {
        RecutConsole shown;
        QVERIFY(shown.train());
        const Cuts before = shown.console.cuts();
        shown.console.drag(0, shown.bar.other_place());
        shown.bar.press(shown.bar.now);
        shown.cluster.fail(control::Recut{live}, QStringLiteral("another plan is in force"));
        QCOMPARE(shown.console.cuts(), before);
        QVERIFY(shown.bar.bar.isVisible());
        QVERIFY2(shown.bar.message.text().contains(QStringLiteral("another plan is in force")),
                 qPrintable(shown.bar.message.text()));
        shown.console.shot("recut-refused");
        shown.bar.undo();  // undo restores the requested cuts
        QVERIFY(shown.console.cuts() != before);
        QVERIFY(shown.bar.now.isVisible());
    }

    void cut_moved_by_keys_also_offers_a_recut() {
        RecutConsole shown;
        QVERIFY(shown.train());
        shown.console.view().setFocus();
        shown.console.view().cut_focus().focus(0);
        QTest::keyClick(&shown.console.view(), shown.console.cuts().front() > 0 ? Qt::Key_Up : Qt::Key_Down);
        QVERIFY(shown.bar.now.isVisible());
        QTest::mouseClick(shown.console.find<QToolButton>("recutClose"), Qt::LeftButton);
        QVERIFY(!shown.bar.bar.isVisible());  // the cuts belong to another task
        QVERIFY(shown.cluster.all<control::Recut>().empty());
    }

    void recut_by_another_client_is_shown() {
        RecutConsole shown;
        QVERIFY(shown.train());
        const std::int32_t place = shown.bar.other_place();
        const graph::NodeIndex node = shown.console.document().position(place);
        const std::string name = shown.console.document().model()->graph.nodes[node].name;
        shown.cluster.tell(control::TaskPlanned{live, 2, {name}, 100000, 8, "zoo:gpt", "00cc", {}});
        Q_EMIT shown.cluster.dataChanged();
        QCOMPARE(shown.console.cuts(), Cuts{place});
        QVERIFY(!shown.bar.bar.isVisible());
    }

    void viewer_cannot_request_a_recut() {
        RecutConsole shown(control::Role::viewer);
        QVERIFY(shown.train());
        shown.console.drag(0, shown.bar.other_place());
        QVERIFY(shown.bar.bar.isVisible());
        QVERIFY(!shown.bar.now.isEnabled());
        QVERIFY(shown.bar.now.toolTip().contains(QStringLiteral("is read-only")));
    }

    void advice_is_given_on_request() {
        RecutConsole shown;
        QVERIFY(shown.train());
        QAction* ask = shown.console.action("advice");
        QVERIFY(ask->isEnabled());
        ask->trigger();
        QCOMPARE(shown.cluster.all(&control::AskRecutAdvice::task), std::vector{live});
        QVERIFY(!ask->isEnabled());  // the advice cannot be requested twice
        QVERIFY(shown.bar.bar.isVisible() && !shown.bar.now.isVisible());
        shown.cluster.answer(control::AskRecutAdvice{live}, shown.advised());
        const QString message = shown.bar.message.text();
        for (const char* part : {"12.0", "400", "1 min 28 s"})
            QVERIFY2(message.contains(QString::fromLatin1(part)), qPrintable(message));
        QVERIFY(shown.bar.now.isVisible() && shown.bar.back.isVisible());
        QCOMPARE(shown.bar.now.text(), QStringLiteral("Apply"));
        QVERIFY(ask->isEnabled());
        shown.console.shot("recut-advice");
        // Once shown, the advice is offered like any other cut.
        const std::vector<std::string> advised = shown.advised().advice.cuts;
        shown.bar.press(shown.bar.back);
        QCOMPARE(shown.console.document().cut_names(), advised);
        QVERIFY(shown.cluster.all<control::Recut>().empty());
        QCOMPARE(shown.bar.now.text(), QStringLiteral("Re-cut live-1 now"));
        shown.bar.undo();
        QCOMPARE(shown.bar.now.text(), QStringLiteral("Apply"));
    }

    void advice_is_applied() {
        RecutConsole shown;
        QVERIFY(shown.train());
        const control::RecutAdvised advised = shown.advised();
        shown.console.action("advice")->trigger();
        shown.cluster.answer(control::AskRecutAdvice{live}, advised);
        shown.bar.press(shown.bar.now);
        QCOMPARE(shown.cluster.count<control::Recut>(), std::size_t{1});
        QCOMPARE(shown.cluster.all<control::Recut>()[0].plan, std::string("00aa"));
        QCOMPARE(shown.cluster.all<control::Recut>()[0].cuts, advised.advice.cuts);
        shown.plan("00bb", 2);
        Q_EMIT shown.cluster.dataChanged();
        shown.cluster.answer(control::Recut{live}, {"00bb", advised.advice.cuts, 2, 40, 3, 1 << 20, 400});
        QVERIFY2(shown.bar.message.text().contains(QStringLiteral("generation 2")),
                 qPrintable(shown.bar.message.text()));
        QTest::mouseClick(shown.console.find<QToolButton>("recutClose"), Qt::LeftButton);
        QVERIFY(!shown.bar.bar.isVisible());  // the advice was about the previous plan
    }

    void unrequested_advice_is_shown_until_it_is_dismissed() {
        RecutConsole shown;
        QVERIFY(shown.train());
        shown.cluster.tell(shown.advised(false));
        Q_EMIT shown.cluster.dataChanged();
        QVERIFY(!shown.bar.bar.isVisible());  // unprofitable advice is not shown
        shown.cluster.tell(shown.advised());
        Q_EMIT shown.cluster.dataChanged();
        QVERIFY(shown.bar.bar.isVisible() && shown.bar.now.isVisible());
        QTest::mouseClick(shown.console.find<QToolButton>("recutClose"), Qt::LeftButton);
        QVERIFY(!shown.bar.bar.isVisible());
        Q_EMIT shown.cluster.dataChanged();
        QVERIFY(!shown.bar.bar.isVisible());
    }

    void failed_or_unprofitable_advice_shows_the_reason() {
        RecutConsole shown;
        QVERIFY(shown.train());
        shown.console.action("advice")->trigger();
        shown.cluster.fail(control::AskRecutAdvice{live},
                           QStringLiteral("too few steps were measured; ask again later"));
        QVERIFY2(shown.bar.message.text().contains(QStringLiteral("ask again later")),
                 qPrintable(shown.bar.message.text()));
        QVERIFY(!shown.bar.now.isVisible());
        shown.console.action("advice")->trigger();
        shown.cluster.answer(control::AskRecutAdvice{live}, shown.advised(false));
        QVERIFY2(shown.bar.message.text().contains(QStringLiteral("below 10 %")), qPrintable(shown.bar.message.text()));
    }

    void recut_bar_is_translated_to_chinese() {
        RecutConsole shown;
        QVERIFY(shown.train());
        shown.console.drag(0, shown.bar.other_place());
        shown.console.window->set_language(QStringLiteral("zh_CN"));
        QTRY_COMPARE(shown.bar.now.text(), QStringLiteral("立即重新切分 live-1"));
        shown.console.shot("recut-zh");
        shown.console.window->set_language(QStringLiteral("en"));
    }

    void training_task_is_recut_on_an_embedded_cluster();
};

void RecutTest::training_task_is_recut_on_an_embedded_cluster() {
    const testing::EmbeddedCluster programs;
    testing::LiveConsole live(programs);
    const Bar bar{live.console};
    const QString file = programs.write(QStringLiteral("gpt.toml"), gpt_task());
    QVERIFY(live.console.loads([&] { live.console.window->open_path(file); }));
    QVERIFY(QTest::qWaitFor([&] { return live.console.cuts().size() == 1 && live.console.action("run")->isEnabled(); },
                            60'000));
    live.console.action("run")->trigger();
    const auto trained = [&](Generation generation) {
        const auto& tasks = live.cluster.data().state.tasks;
        return !tasks.empty() && tasks.begin()->second.generation == generation && tasks.begin()->second.step > 0;
    };
    QVERIFY(QTest::qWaitFor([&] { return trained(1); }, 120'000));
    const TaskId id = live.cluster.data().state.tasks.begin()->first;
    live.console.action("model_graph")->trigger();  // leaves the Train workspace, to which the run has switched
    live.console.view().scopes().open_all();
    live.console.view().camera().zoom_reset();
    live.console.view().cut_focus().show(0);
    QCoreApplication::processEvents();
    const std::vector<std::string> before = live.console.document().cut_names();
    live.console.drag(0, bar.other_place());
    QVERIFY(QTest::qWaitFor([&] { return bar.now.isVisible() && bar.now.isEnabled(); }, 30'000));
    const std::vector<std::string> wanted = live.console.document().cut_names();
    bar.press(bar.now);
    const auto done = [&] { return bar.message.text().contains(QStringLiteral("generation 2")); };
    QVERIFY2(QTest::qWaitFor(done, 180'000), qPrintable(bar.message.text()));
    QVERIFY(QTest::qWaitFor([&] { return trained(2); }, 60'000));
    QCOMPARE(live.cluster.data().state.tasks.at(id).cuts, wanted);
    bar.undo();
    QCOMPARE(live.console.document().cut_names(), before);
    QVERIFY(QTest::qWaitFor([&] { return bar.now.isVisible() && bar.now.isEnabled(); }, 30'000));
    bar.press(bar.now);
    const auto reversed = [&] { return bar.message.text().contains(QStringLiteral("generation 3")); };
    QVERIFY2(QTest::qWaitFor(reversed, 180'000), qPrintable(bar.message.text()));
    QVERIFY(QTest::qWaitFor([&] { return trained(3); }, 60'000));
    QCOMPARE(live.cluster.data().state.tasks.at(id).cuts, before);
    QCOMPARE(live.console.document().cut_names(), before);
    live.cluster.order(control::StopTask{id, client::stop_reason});
    QVERIFY(QTest::qWaitFor([&] { return live.cluster.data().state.tasks.at(id).over(); }, 120'000));
}

DIVISI_WINDOW_TEST(RecutTest)

}  // namespace recut_test

#include "recut_test.moc"
