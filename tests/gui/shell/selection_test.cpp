// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the console's common selection: an element selected in one view is marked in the others.
#include <QChart>
#include <QChartView>
#include <QDialog>
#include <QListWidget>
#include <QMenu>
#include <QTableView>
#include <QTableWidget>
#include <QToolButton>

#include "app/shell/docks/row_marks.h"
#include "app/shell/docks/workbench.h"
#include "app/timeline/timeline_canvas.h"
#include "backend/mesh/signaling/load_advert.h"
#include "backend/wire/message_codec.h"
#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace selection_test {

using namespace divisi;
using model::Selected;
using testing::ScriptedClient;

namespace {

const InstanceId first("gpt-text-1/stage-0/0");
const Sid forward("gpt-text-1/stage-0/forward/0"), backward("gpt-text-1/stage-0/backward/0");

/// A fixture with a console in the Train workspace, and a running task whose units are shown.
struct SelectionConsole : testing::ConnectedConsole {
    graphview::UnitView& units = *console.find<graphview::UnitView>("unitView");
    topology::MeshMap& map = *console.find<topology::MeshMap>("meshMap");
    model::Selection& selection = console.window->context().selection;

    SelectionConsole() : ConnectedConsole("Tasks") {
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        console.action("task_graph")->trigger();
        QCoreApplication::processEvents();
    }
    QPoint place(std::size_t unit) {
        return units.mapFromScene(units.place(console.window->context().units.units()[unit]).center());
    }
    void click(QPoint at) { QTest::mouseClick(units.viewport(), Qt::LeftButton, {}, at); }
    bool marks(std::size_t unit) { return units.is_selected(console.window->context().units.units()[unit]); }
};

/// Returns a mesh of gateways 1 and 2, a link between them that carries the data from stage 0 to stage 1, and a router.
control::MeshState two_gateways() {
    control::MeshState mesh;
    for (const char* name : {"mg-1", "mg-2", "sr-1"}) {
        control::DeviceView device;
        device.id = static_cast<std::uint32_t>(mesh.devices.size() + 1);
        device.info.name = name;
        device.up = true;
        device.heard = TimePoint(std::chrono::seconds(1));
        mesh.devices.push_back(device);
    }
    mesh.links.push_back({1, 2, 0, 0});
    mesh.devices[0].neighbours.push_back({2, true, 0, 0, 8 << 20});
    control::FlowReport flow;
    flow.task = TaskId("gpt-text-1");
    flow.source = Sid("gpt-text-1/stage-0/0");
    flow.destination = Sid("gpt-text-1/stage-1/0");
    flow.path = {1, 2};
    mesh.devices[0].flows = {flow};
    return mesh;
}

/// Each view, with the name of the table that shows its marks. Null: the marks of that view are tested elsewhere (in
/// this file, gui_recut or gui_run).
const std::map<std::string, const char*> tables{{"Split", nullptr},
                                                {"Plans", nullptr},
                                                {"Services", "serviceTable"},
                                                {"Nodes", "topologyTree"},
                                                {"Recoveries", "incidentTable"},
                                                {"Exceptions", "exceptionTable"},
                                                {"Alerts", "alertTable"},
                                                {"Logs", "logTable"}};

/// Returns the topmost marked row of a table or tree.
QModelIndex first_marked(const QAbstractItemView& view, const QModelIndex& below = {}) {
    const auto* marks = qobject_cast<const shell::RowMarks*>(view.itemDelegate());
    if (!marks) qFatal("%s marks nothing", qPrintable(view.objectName()));
    for (int row = 0; row < view.model()->rowCount(below); ++row) {
        const QModelIndex at = view.model()->index(row, 0, below);
        if (marks->marks(at)) return at;
        if (const QModelIndex inner = first_marked(view, at); inner.isValid()) return inner;
    }
    return {};
}

/// A fixture with a failed instance. All reports of faults name the instance, its node or a router.
struct FaultyConsole : SelectionConsole {
    const InstanceId failed{"gpt-text-1/stage-0/0#1"};

    FaultyConsole() {
        const TaskId task("gpt-text-1");
        const NodeId node("mic-1/node-1");
        const auto running = control::UnitState::running;
        cluster.tell(control::TaskPlanned{
            task,
            1,
            {"/a"},
            100,
            16,
            "zoo:gpt",
            "00",
            {{forward, "forward", failed, {}, running}, {backward, "backward", failed, {forward}, running}}});
        cluster.tell(control::InstancePlaced{task, failed, Sid("gpt-text-1/stage-0/0"), node, 0});
        cluster.tell(control::InstanceChanged{failed, control::InstanceState::failed, "killed by signal 9"});
        control::ExceptionEntry entry;
        entry.number = cluster.cluster.state.sequence + 1;
        entry.task = task;
        entry.instance = failed;
        entry.node = node;
        entry.error = {ErrorCode::failed, "killed by signal 9", failed.value(), "try it again"};
        cluster.tell(control::ExceptionRaised{entry});
        control::Alert alert;
        alert.number = cluster.cluster.state.sequence + 1;
        alert.rule = control::AlertRule::slow_training;
        alert.task = task;
        alert.node = node;
        alert.subject = task.value();
        cluster.tell(control::AlertRaised{alert});
        cluster.tell(control::Noted{Severity::warning, "router sr-1", "", "a neighbour is silent"});
        Q_EMIT cluster.dataChanged();
    }
    /// Answers the Services view; returns false if the view does not ask.
    bool services() {
        console.show_dock("Services");
        if (!QTest::qWaitFor([&] { return !cluster.all<control::WatchServices>().empty(); }, 3000)) return false;
        control::ServiceRow row;
        row.revision = 1;
        row.said.sid = Sid("gpt-text-1/stage-0/0");
        row.said.prefix = row.said.sid.value();
        row.said.incarnation = 1;
        row.said.node = NodeId("mic-1/node-1");
        row.said.task = TaskId("gpt-text-1");
        control::ServiceDevice router;
        router.name = "sr-1";
        router.id = 3;
        router.revision = 2;
        cluster.answer(cluster.last<control::WatchServices>(), {7, 2, true, {row}, false, {}, {router}});
        return true;
    }
};

}  // namespace

class SelectionGuiTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void click_selects_a_unit_and_a_second_click_clears_it() {
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

    void arrow_keys_move_between_units() {
        SelectionConsole shown;
        shown.click(shown.place(0));
        QTest::keyClick(&shown.units, Qt::Key_Down);  // backward is below forward
        QCOMPARE(shown.selection.current(), Selected::of_unit(backward));
        QTest::keyClick(&shown.units, Qt::Key_Down);  // already the last one
        QCOMPARE(shown.selection.current(), Selected::of_unit(backward));
        QTest::keyClick(&shown.units, Qt::Key_Up);
        QCOMPARE(shown.selection.current(), Selected::of_unit(forward));
        QTest::keyClick(&shown.units, Qt::Key_Escape);
        QVERIFY(!shown.selection.current());
    }

    void f_centres_the_unit_and_a_second_f_fits_the_graph() {
        SelectionConsole shown;
        const auto scale = [&] { return shown.units.transform().m11(); };
        QTest::keyClick(&shown.units, Qt::Key_F);
        const double fitted = scale();
        shown.click(shown.place(1));
        for (int i = 0; i < 6; ++i) shown.units.zoomIn();  // so that the view can scroll
        shown.units.centerOn(shown.units.scene()->sceneRect().topLeft());
        const auto off = [&] { return (shown.place(1) - shown.units.viewport()->rect().center()).manhattanLength(); };
        const auto before = off();
        QTest::keyClick(&shown.units, Qt::Key_F);
        QVERIFY2(off() < before, qPrintable(QString::number(off())));
        QVERIFY(scale() > fitted);
        QTest::keyClick(&shown.units, Qt::Key_F);
        QCOMPARE(scale(), fitted);
    }

    void instance_of_the_selected_unit_is_marked_in_every_view() {
        SelectionConsole shown;
        const charts::LineChart& busy = shown.console.find<charts::TelemetryView>("telemetry")->grid().busy();
        QCOMPARE(busy.chosen_names(), QStringList());
        shown.click(shown.place(1));
        QCOMPARE(busy.chosen_names(), QStringList{QStringLiteral("Stage 1")});
        shown.console.action("topology")->trigger();
        QCOMPARE(shown.map.selected(), (topology::Element{topology::Element::Kind::instance, first.value(), {}}));
        // Opening the map does not change the selection.
        QCOMPARE(shown.selection.current(), Selected::of_unit(backward));
    }

    void selecting_an_instance_in_the_topology_marks_its_units() {
        SelectionConsole shown;
        shown.console.action("topology")->trigger();
        shown.map.select({topology::Element::Kind::instance, first.value(), {}}, true);
        QCOMPARE(shown.selection.current(), Selected::of_instance(first, TaskId("gpt-text-1")));
        shown.console.action("task_graph")->trigger();
        QVERIFY(shown.marks(0) && shown.marks(1));
        // If another view selects an element that the map lacks, the map keeps its own mark.
        shown.selection.select(Selected::of_device("sr-77"));
        QCOMPARE(shown.map.selected().name, first.value());
        QVERIFY(!shown.marks(0));
    }

    void click_on_a_curve_selects_the_step() {
        SelectionConsole shown;
        shown.console.show_dock("Telemetry");
        const charts::LineChart& loss = shown.console.find<charts::TelemetryView>("telemetry")->grid().loss();
        auto* plot = loss.findChild<QChartView*>();
        QTRY_VERIFY(plot->chart()->plotArea().width() > 20);
        QTest::mouseClick(plot->viewport(), Qt::LeftButton, {}, plot->chart()->plotArea().center().toPoint());
        const Selected step = shown.selection.current();
        QCOMPARE(step.kind, Selected::Kind::step);
        QCOMPARE(step.task, TaskId("gpt-text-1"));
        QVERIFY(step.number >= 1 && step.number <= 10);
    }

    void selected_link_is_marked_in_every_view() {
        SelectionConsole shown;
        const InstanceId second("gpt-text-1/stage-1/0");
        const Sid next("gpt-text-1/stage-1/forward/0");
        const TaskId task("gpt-text-1");
        shown.cluster.tell(control::TaskPlanned{task,
                                                2,
                                                {"/a"},
                                                100,
                                                16,
                                                "zoo:gpt",
                                                "00",
                                                {{forward, "forward", first, {}, control::UnitState::running},
                                                 {next, "forward", second, {forward}, control::UnitState::waiting}}});
        shown.cluster.tell(
            control::InstancePlaced{task, first, Sid("gpt-text-1/stage-0/0"), NodeId("mic-1/node-1"), 0});
        shown.cluster.tell(control::InstancePlaced{task, second, Sid(second.value()), NodeId("mic-2/node-1"), 1});
        Q_EMIT shown.cluster.dataChanged();
        QCoreApplication::processEvents();
        QVERIFY(shown.units.marked_edges().empty());
        const control::MeshState mesh = two_gateways();
        const auto& telemetry = *shown.console.find<charts::TelemetryView>("telemetry");
        shown.selection.select(Selected::of_link("mg-1", "mg-2"));
        shown.cluster.answer(control::QueryMesh{}, mesh);
        const QImage before = shown.units.viewport()->grab().toImage();
        QCOMPARE(shown.units.marked_edges(), (std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}}));
        QVERIFY(shown.units.accessibleDescription().contains(QStringLiteral("over the selected link")));
        QCOMPARE(shown.console.find<timeline::TimelineCanvas>("timelineCanvas")->marked_wires(),
                 std::set<std::int32_t>{1});
        Q_EMIT shown.cluster.dataChanged();
        const charts::LineChart* credit = &telemetry.grid().chart(charts::Chart::link_credit);
        QTRY_COMPARE(credit->chosen_names(), QStringList{QStringLiteral("mg-1 \u2192 mg-2")});
        shown.selection.select(Selected::of_link("mg-1", "sr-9"));  // for an unknown link, none of the old marks stay
        QVERIFY(shown.units.marked_edges().empty());
        QVERIFY(shown.units.viewport()->grab().toImage() != before);
        QVERIFY(shown.console.find<timeline::TimelineCanvas>("timelineCanvas")->marked_wires().empty());
    }

    void signaling_view_marks_and_selects_the_link() {
        SelectionConsole shown;
        shown.console.show_dock("Signaling");
        shown.cluster.answer(control::QueryMesh{}, two_gateways());
        control::Signals said;
        for (const auto& [from, to] : {std::pair{1U, 2U}, {2U, 1U}, {1U, 3U}})
            said.records.push_back({TimePoint(std::chrono::seconds(5)), from, to, "garbage", said.records.size() + 1});
        shown.cluster.answer(control::QuerySignals{}, said);
        auto* table = shown.console.find<QTableView>("signalTable");
        auto* only = shown.console.find<QToolButton>("signalLink");
        QCOMPARE(table->model()->rowCount(), 3);
        QVERIFY(!only->isEnabled());
        table->selectRow(1);
        QCOMPARE(shown.selection.current(), Selected::of_link("mg-1", "mg-2"));
        QVERIFY(only->isEnabled());
        const auto bold = [table](int row) {
            return table->model()->index(row, 0).data(Qt::FontRole).value<QFont>().bold();
        };
        QVERIFY(bold(0) && bold(1) && !bold(2));
        QTest::mouseClick(only, Qt::LeftButton);
        QCOMPARE(table->model()->rowCount(), 2);
        shown.selection.select(Selected::of_link("sr-1", "mg-1"));
        QCOMPARE(table->model()->rowCount(), 1);
        shown.selection.clear();
        QCOMPARE(table->model()->rowCount(), 3);
        QVERIFY(!only->isEnabled() && !only->isChecked());
    }

    void credit_row_and_its_link_select_each_other() {
        SelectionConsole shown;
        shown.console.show_dock("Signaling");
        shown.cluster.answer(control::QueryMesh{}, two_gateways());
        mesh::LoadAdvert said;
        said.sender = 3;
        said.links = {{1, true, 0, 1 << 20, 0, 0, 0}, {2, true, 0, 1 << 20, 0, 0, 0}};
        control::Signals heard;
        heard.records.push_back(
            {TimePoint(std::chrono::seconds(5)), 3, 1, *wire::encode_load(said), 1, control::SignalKind::load});
        shown.cluster.answer(control::QuerySignals{}, heard);
        auto* table = shown.console.find<QTableView>("signalTable");
        auto* fields = shown.console.find<QTableWidget>("signalFields");
        table->selectRow(0);
        QCOMPARE(shown.selection.current(), model::Selected::of_link("mg-1", "sr-1"));
        const auto row = [&](const char* name) {
            const auto found = fields->findItems(QString::fromLatin1(name), Qt::MatchExactly);
            return found.isEmpty() ? nullptr : found.front();
        };
        QVERIFY(row("Link to mg-1") && row("Link to mg-2"));
        QVERIFY(row("Link to mg-1")->font().bold() && !row("Link to mg-2")->font().bold());
        QCoreApplication::processEvents();  // lets the table be laid out
        fields->scrollToItem(row("Link to mg-2"));
        QTest::mouseClick(fields->viewport(), Qt::LeftButton, {}, fields->visualItemRect(row("Link to mg-2")).center());
        QCOMPARE(shown.selection.current(), model::Selected::of_link("mg-2", "sr-1"));
        QVERIFY(!row("Link to mg-1")->font().bold() && row("Link to mg-2")->font().bold());
    }

    void menu_shows_the_selection_in_each_view_that_marks_it() {
        SelectionConsole shown;
        auto* menu = shown.console.find<QMenu>("selectionMenu");
        const auto entries = [menu] {
            QStringList titles;
            for (const QAction* entry : menu->actions())
                if (entry->isVisible()) titles << entry->text().remove(QStringLiteral("Show the selection in "));
            return titles;
        };
        QCOMPARE(entries(),
                 (QStringList{QStringLiteral("Tasks"), QStringLiteral("Recoveries"), QStringLiteral("Exceptions"),
                              QStringLiteral("Alerts"), QStringLiteral("Logs")}));
        shown.click(shown.place(1));
        QCOMPARE(entries(),
                 (QStringList{QStringLiteral("Model graph"), QStringLiteral("Task graph"), QStringLiteral("Topology"),
                              QStringLiteral("Telemetry"), QStringLiteral("Timeline"), QStringLiteral("Plans"),
                              QStringLiteral("Services"), QStringLiteral("Nodes"), QStringLiteral("Recoveries"),
                              QStringLiteral("Exceptions"), QStringLiteral("Logs")}));
        for (QAction* entry : menu->actions())
            if (entry->text() == QStringLiteral("Show the selection in Topology")) entry->trigger();
        QCOMPARE(shown.console.window->workbench().workspace(), shell::Workspace::mesh);
        QCOMPARE(shown.map.selected(), (topology::Element{topology::Element::Kind::instance, first.value(), {}}));
        QCOMPARE(shown.selection.current(), Selected::of_unit(backward));
        shown.selection.select(Selected::of_device("sr-77"));
        QCOMPARE(entries(),
                 (QStringList{QStringLiteral("Topology"), QStringLiteral("Services"), QStringLiteral("Logs")}));
        QVERIFY(menu->menuAction()->isEnabled());
        shown.console.action("palette")->trigger();
        auto* list = shown.console.find<QDialog>("commandPalette")->findChild<QListWidget*>();
        QCOMPARE(list->findItems(QStringLiteral("Show the selection in"), Qt::MatchStartsWith).size(), 3);
        shown.selection.clear();
        QVERIFY(entries().isEmpty() && !menu->menuAction()->isEnabled());
    }

    /// Every view that claims to mark units must do so. The model graph is excluded, since no model is open in this
    /// test. Tables have a separate test.
    void every_view_of_units_marks_the_selected_unit() {
        SelectionConsole shown;
        shown.click(shown.place(1));
        const auto& busy = shown.console.find<charts::TelemetryView>("telemetry")->grid().busy();
        const auto& lanes = *shown.console.find<timeline::TimelineCanvas>("timelineCanvas");
        const std::map<std::string, std::function<bool()>> marks{
            {"Task graph", [&] { return shown.marks(1) && !shown.marks(0); }},
            {"Topology", [&] { return shown.map.selected().name == first.value(); }},
            {"Telemetry", [&] { return busy.chosen_names() == QStringList{QStringLiteral("Stage 1")}; }},
            {"Timeline", [&] { return lanes.marked() == std::optional<std::int32_t>(0); }}};
        for (const shell::ViewSpec& spec : shell::views()) {
            const std::string name = spec.name;
            const bool claims = std::ranges::find(spec.selects, Selected::Kind::unit) != spec.selects.end();
            if (name == "Model graph" || tables.contains(name)) continue;
            QVERIFY2(claims == marks.contains(name), spec.name);
            if (!claims) continue;
            shown.console.window->workbench().show_view(spec);
            QVERIFY2(QTest::qWaitFor(marks.at(name), 3000), spec.name);
        }
    }

    void every_table_marks_the_kinds_it_declares() {
        FaultyConsole shown;
        QVERIFY(shown.services());
        const TaskId task("gpt-text-1");
        using Kind = Selected::Kind;
        const std::map<Kind, std::pair<Selected, Selected>> things{
            {Kind::task, {Selected::of_task(task), {}}},
            {Kind::unit, {Selected::of_unit(backward), Selected::of_unit(Sid("gpt-text-1/stage-7/forward/0"))}},
            {Kind::instance,
             {Selected::of_instance(shown.failed, task), Selected::of_instance(InstanceId("other-2/0"))}},
            {Kind::node, {Selected::of_node(NodeId("mic-1/node-1")), Selected::of_node(NodeId("mic-9/node-9"))}},
            {Kind::mic, {Selected::of_mic(MicId("mic-1")), Selected::of_mic(MicId("mic-9"))}},
            {Kind::device, {Selected::of_device("sr-1"), Selected::of_device("sr-9")}}};
        for (const shell::ViewSpec& spec : shell::views()) {
            const auto table = tables.find(spec.name);
            if (table == tables.end() || !table->second) continue;
            shown.console.show_dock(spec.name);
            auto& rows = *shown.console.find<QAbstractItemView>(table->second);
            for (const auto& [kind, pair] : things) {
                const QByteArray what = QByteArray(spec.name) + " " + QByteArray::number(static_cast<int>(kind));
                const bool claims = std::ranges::find(spec.selects, kind) != spec.selects.end();
                shown.selection.select(pair.first);
                const auto marked = [&] { return first_marked(rows).isValid(); };
                QVERIFY2(claims ? QTest::qWaitFor(marked, 3000) : !marked(), what.constData());
                if (kind == Kind::node) shown.console.shot((QByteArray(spec.name).toLower() + "-marked").constData());
                shown.selection.select(pair.second);
                QVERIFY2(!marked(), what.constData());
            }
        }
    }

    void click_on_a_row_selects_its_subject() {
        FaultyConsole shown;
        QVERIFY(shown.services());
        const Selected instance = Selected::of_instance(shown.failed, TaskId("gpt-text-1"));
        const Selected node = Selected::of_node(NodeId("mic-1/node-1"));
        for (const auto& [view, table] : tables) {
            if (!table) continue;
            const Selected& expected = view == "Alerts" ? node : instance;
            shown.console.show_dock(view.c_str());
            auto& rows = *shown.console.find<QAbstractItemView>(table);
            shown.selection.select(expected);
            QVERIFY2(QTest::qWaitFor([&] { return first_marked(rows).isValid(); }, 3000), view.c_str());
            const QModelIndex row = first_marked(rows);
            rows.scrollTo(row);
            QCoreApplication::processEvents();
            const QImage before = rows.viewport()->grab().toImage();
            shown.selection.clear();
            QVERIFY2(rows.viewport()->grab().toImage() != before, view.c_str());
            QTest::mouseClick(rows.viewport(), Qt::LeftButton, {}, rows.visualRect(row).center());
            QCOMPARE(shown.selection.current(), expected);
        }
    }

    void selecting_an_operator_marks_its_segment() {
        testing::Console console;
        console.show_chain({4, 9});
        console.show_dock("Split");
        auto& rows = *console.find<QTableWidget>("segmentTable");
        model::Selection& selection = console.window->context().selection;
        selection.select(Selected::of_block(console.document().model()->graph.nodes[8].name));
        QCOMPARE(first_marked(rows).row(), 1);
        selection.clear();
        QVERIFY(!first_marked(rows).isValid());
    }

    void selecting_a_task_follows_it() {
        SelectionConsole shown;
        shown.cluster.tell(control::TaskSubmitted{TaskId("other-2"), "other", "", "", "", {}, "operator", 0});
        Q_EMIT shown.cluster.dataChanged();
        QCOMPARE(shown.console.window->context().followed(), TaskId("gpt-text-1"));
        shown.selection.select(Selected::of_task(TaskId("other-2")));
        QCOMPARE(shown.console.window->context().followed(), TaskId("other-2"));
        QCOMPARE(shown.selection.current(), Selected::of_task(TaskId("other-2")));
    }
};

DIVISI_WINDOW_TEST(SelectionGuiTest)

}  // namespace selection_test

#include "selection_test.moc"
