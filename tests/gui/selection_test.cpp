// SPDX-License-Identifier: GPL-3.0-or-later
// The one selection of the console: what is selected in one view is marked in the others.
#include <QChart>
#include <QChartView>
#include <QTableWidget>

#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"

using namespace divisi;
using model::Selected;
using testing::ScriptedClient;

namespace {

const InstanceId first("gpt-text-1/stage-0/0");
const Sid forward("gpt-text-1/stage-0/forward/0"), backward("gpt-text-1/stage-0/backward/0");

/// A console in the Train workspace with a task that runs, whose units show.
struct SelectionConsole {
    ScriptedClient cluster;
    testing::Console console{&cluster};
    graphview::UnitView& units = *console.find<graphview::UnitView>("unitView");
    topology::MeshMap& map = *console.find<topology::MeshMap>("meshMap");
    model::Selection& selection = console.window->desk().selection;

    SelectionConsole() {
        cluster.connect_to(QStringLiteral("lab"));
        cluster.play();
        console.show_dock("Tasks");
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        console.action("task_graph")->trigger();
        QCoreApplication::processEvents();
    }
    QPoint place(std::size_t unit) {
        return units.mapFromScene(graphview::UnitView::place(console.window->units().units()[unit]).center());
    }
    void click(QPoint at) { QTest::mouseClick(units.viewport(), Qt::LeftButton, {}, at); }
    bool marks(std::size_t unit) { return units.is_selected(console.window->units().units()[unit]); }
};

}  // namespace

class SelectionGuiTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void a_unit_is_selected_by_a_click_and_left_by_another() {
        SelectionConsole shown;
        QCOMPARE(shown.selection.current(), Selected::of_task(TaskId("gpt-text-1")));
        const QImage before = shown.units.viewport()->grab().toImage();
        shown.click(shown.place(0));
        QCOMPARE(shown.selection.current(), Selected::of_unit(forward));
        QVERIFY(shown.marks(0) && !shown.marks(1));
        QVERIFY(shown.units.viewport()->grab().toImage() != before);
        QVERIFY(shown.units.accessibleDescription().contains(QStringLiteral("selected")));
        shown.console.shot("unit-selected");
        shown.click(shown.units.viewport()->rect().bottomRight() - QPoint(4, 4));
        QVERIFY(!shown.selection.current());
        QVERIFY(!shown.marks(0));
    }

    void a_drag_selects_nothing() {
        SelectionConsole shown;
        const Selected before = shown.selection.current();
        const QPoint from = shown.place(0), to = from + QPoint(80, 40);
        QTest::mousePress(shown.units.viewport(), Qt::LeftButton, {}, from);
        QTest::mouseMove(shown.units.viewport(), to);
        QTest::mouseRelease(shown.units.viewport(), Qt::LeftButton, {}, to);
        QCOMPARE(shown.selection.current(), before);
    }

    void arrows_go_from_unit_to_unit() {
        SelectionConsole shown;
        shown.click(shown.place(0));
        QTest::keyClick(&shown.units, Qt::Key_Down);  // backward stands below forward
        QCOMPARE(shown.selection.current(), Selected::of_unit(backward));
        QTest::keyClick(&shown.units, Qt::Key_Down);  // the last
        QCOMPARE(shown.selection.current(), Selected::of_unit(backward));
        QTest::keyClick(&shown.units, Qt::Key_Up);
        QCOMPARE(shown.selection.current(), Selected::of_unit(forward));
        QTest::keyClick(&shown.units, Qt::Key_Escape);
        QVERIFY(!shown.selection.current());
    }

    void the_instance_of_a_unit_is_marked_everywhere() {
        SelectionConsole shown;
        const charts::LineChart& busy = shown.console.find<charts::TelemetryView>("telemetry")->busy();
        QCOMPARE(busy.chosen_names(), QStringList());
        shown.click(shown.place(1));
        QCOMPARE(busy.chosen_names(), QStringList{QStringLiteral("Stage 1")});
        shown.console.action("topology")->trigger();
        QCOMPARE(shown.map.selected(), (topology::Element{topology::Element::Kind::instance, first.value(), {}}));
        // Looking at it there is no other selection.
        QCOMPARE(shown.selection.current(), Selected::of_unit(backward));
    }

    void an_instance_in_the_topology_marks_its_units() {
        SelectionConsole shown;
        shown.console.action("topology")->trigger();
        shown.map.select({topology::Element::Kind::instance, first.value(), {}}, true);
        QCOMPARE(shown.selection.current(), Selected::of_instance(first, TaskId("gpt-text-1")));
        shown.console.action("task_graph")->trigger();
        QVERIFY(shown.marks(0) && shown.marks(1));
        // Whoever selects elsewhere what the picture has not, leaves its mark.
        shown.selection.select(Selected::of_device("sr-77"));
        QCOMPARE(shown.map.selected().name, first.value());
        QVERIFY(!shown.marks(0));
    }

    void a_click_on_a_curve_over_steps_selects_the_step() {
        SelectionConsole shown;
        shown.console.show_dock("Telemetry");
        const charts::LineChart& loss = shown.console.find<charts::TelemetryView>("telemetry")->loss();
        auto* plot = loss.findChild<QChartView*>();
        QTRY_VERIFY(plot->chart()->plotArea().width() > 20);
        QTest::mouseClick(plot->viewport(), Qt::LeftButton, {}, plot->chart()->plotArea().center().toPoint());
        const Selected step = shown.selection.current();
        QCOMPARE(step.kind, Selected::Kind::step);
        QCOMPARE(step.task, TaskId("gpt-text-1"));
        QVERIFY(step.number >= 1 && step.number <= 10);
    }

    void a_task_that_is_selected_is_followed() {
        SelectionConsole shown;
        shown.cluster.tell(control::TaskSubmitted{TaskId("other-2"), "other", "", "", "", {}, "operator", 0});
        Q_EMIT shown.cluster.dataChanged();
        QCOMPARE(shown.console.window->desk().followed(), TaskId("gpt-text-1"));
        shown.selection.select(Selected::of_task(TaskId("other-2")));
        QCOMPARE(shown.console.window->desk().followed(), TaskId("other-2"));
        QCOMPARE(shown.selection.current(), Selected::of_task(TaskId("other-2")));
    }
};

QTEST_MAIN(SelectionGuiTest)
#include "selection_test.moc"
