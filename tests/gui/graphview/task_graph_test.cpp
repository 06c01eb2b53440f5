// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the task graph while a task trains, with a scripted client.
#include <QImage>
#include <QTableWidget>
#include <QWheelEvent>

#include "app/model/wording/text.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace task_graph_test {

using namespace divisi;
using testing::ScriptedClient;

namespace {

void wheel(QWidget* on, int notches) {
    const QPoint at = on->rect().center();
    QWheelEvent event(at, on->mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                      false);
    QCoreApplication::sendEvent(on, &event);
}

}  // namespace

class TaskGraphTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void task_graph_shows_live_unit_states() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        console.action("task_graph")->trigger();
        auto* view = console.find<graphview::UnitView>("unitView");
        QVERIFY(view->isVisible());
        QCOMPARE(console.window->context().units.units().size(), 2u);
        QCOMPARE(console.window->context().units.units()[0].state, control::UnitState::running);
        console.shot("task_graph");
    }

    void task_graph_shows_which_unit_waits_for_which() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        const TaskId task("gpt-text-1");
        const InstanceId first("gpt-text-1/stage-0/0"), second("gpt-text-1/stage-1/0");
        const Sid forward("gpt-text-1/stage-0/forward/0"), next("gpt-text-1/stage-1/forward/0");
        const auto running = control::UnitState::running;
        const std::vector<control::UnitView> two{{forward, "forward", first, {}, running},
                                                 {next, "forward", second, {forward}, running}};
        cluster.tell(control::TaskPlanned{task, 2, {"/a"}, 100, 16, "zoo:gpt", "00", two});
        cluster.tell(control::InstancePlaced{task, first, Sid(first.value()), NodeId("mic-1/node-1"), 0});
        cluster.tell(control::InstancePlaced{task, second, Sid(second.value()), NodeId("mic-2/node-1"), 1});
        for (const InstanceId& one : {first, second})
            cluster.tell(control::InstanceChanged{one, control::InstanceState::running, ""});
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        console.action("task_graph")->trigger();
        auto* view = console.find<graphview::UnitView>("unitView");
        QCOMPARE(view->doing_text(console.window->context().units.units()[1]), QStringLiteral("running"));
        const QImage before = view->viewport()->grab().toImage();
        control::InstanceLoad works, waits;
        works.instance = first;
        works.operation = "forward of micro-batch 3, step 12";
        works.operation_ms = 40;
        waits.instance = second;
        waits.waits_for = {first};
        waits.waits_ms = 300;
        cluster.report(works);
        cluster.report(waits);
        Q_EMIT cluster.dataChanged();
        const auto& units = console.window->context().units;
        QCOMPARE(view->doing_text(units.units()[0]), QStringLiteral("forward 3 of step 12"));
        const QString wait = QStringLiteral("waits for Stage 1, ") + model::ms_text(300);
        QCOMPARE(view->doing_text(units.units()[1]), wait);
        QCOMPARE(units.awaited(), (std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}}));
        QVERIFY2(view->accessibleDescription().contains(QStringLiteral("Stage 2, Forward: ") + wait),
                 qPrintable(view->accessibleDescription()));
        QCOMPARE(view->part(1).value, wait);
        QVERIFY(view->viewport()->grab().toImage() != before);
        console.shot("task-graph-waits");
    }

    void chosen_zoom_of_the_task_graph_is_kept_when_resized() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        console.action("task_graph")->trigger();
        auto* view = console.find<graphview::UnitView>("unitView");
        const auto zoom = [view] { return view->transform().m11(); };
        wheel(view->viewport(), 4);
        const double chosen = zoom();
        QVERIFY2(chosen > 1, qPrintable(QString::number(chosen)));  // larger than any fitted zoom
        const QSize size = view->size();
        console.window->resize(1200, 800);
        QTRY_VERIFY(view->size() != size);
        QCOMPARE(zoom(), chosen);
        view->fit();
        QVERIFY(zoom() <= 1);
    }
};

DIVISI_WINDOW_TEST(TaskGraphTest)

}  // namespace task_graph_test

#include "task_graph_test.moc"
