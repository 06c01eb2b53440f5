// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the map of the mesh with a scripted client.
#include <QDialog>
#include <QInputDialog>
#include <QKeySequence>
#include <QMenuBar>
#include <QTableView>

#include "backend/control/protocol/fault_messages.h"
#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_mesh.h"
#include "tests/support/cpu_time.h"
#include "tests/support/test_program.h"

namespace topology_test {

using namespace divisi;
using testing::ScriptedClient;
using testing::ScriptedMesh;
using topology::Element;

namespace {

using Kind = Element::Kind;

Element device(const char* name) { return {Kind::device, name, {}}; }
Element node(const char* name) { return {Kind::node, name, {}}; }
Element instance(const char* id) { return {Kind::instance, id, {}}; }
Element link_of(const char* a, const char* b) { return {Kind::link, a, b}; }

/// A fixture with a console that shows the topology.
struct TopologyConsole : testing::ConnectedConsole {
    ScriptedMesh mesh{cluster};
    topology::MeshMap& map = *console.find<topology::MeshMap>("meshMap");

    /// The user is a viewer until allow_faults() raises the role.
    TopologyConsole() : ConnectedConsole(control::Role::viewer) {
        cluster.play();
        console.action("topology")->trigger();
        mesh.tell();
        QCoreApplication::processEvents();
    }
    /// Returns the number of an element's pixels with this colour.
    int pixels(const Element& element, const QColor& colour) {
        const QRect place = map.mapFromScene(map.place_of(element)).boundingRect();
        const QImage image = map.viewport()->grab(place).toImage();
        int count = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) count += image.pixelColor(x, y) == colour ? 1 : 0;
        return count;
    }
    void allow_faults() {
        mesh.state.faults_allowed = true;
        mesh.tell();
        cluster.state.role = control::Role::operate;
        Q_EMIT cluster.statusChanged();
    }
    /// Returns the entries of an element's menu, with disabled ones in brackets.
    QStringList offers(const Element& element) {
        map.select(element, true);
        Q_EMIT map.menuRequested(element, map.mapToGlobal(QPoint(10, 10)));
        auto* menu = console.find<QMenu>("topologyMenu");
        QStringList texts;
        for (const QAction* action : menu->actions())
            texts << (action->isEnabled() ? action->text() : u'[' + action->text() + u']');
        delete menu;
        return texts;
    }
    /// Chooses an entry of an element's menu with the keys.
    bool choose(const Element& element, const QString& text) {
        map.select(element, true);
        Q_EMIT map.menuRequested(element, map.mapToGlobal(QPoint(10, 10)));
        auto* menu = console.find<QMenu>("topologyMenu");
        const bool taken = testing::Console::take(menu, text);
        delete menu;
        return taken;
    }
    void key(Qt::Key key, Qt::KeyboardModifiers with = {}) { QTest::keyClick(&map, key, with); }
    void drag(const Element& element, QPoint by) {
        const QPoint from = map.mapFromScene(map.place_of(element).center());
        QTest::mousePress(map.viewport(), Qt::LeftButton, {}, from);
        for (int i = 1; i <= 4; ++i) QTest::mouseMove(map.viewport(), from + by * i / 4);
        QTest::mouseRelease(map.viewport(), Qt::LeftButton, {}, from + by);
    }
};

}  // namespace

class TopologyTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void empty_topology_shows_a_hint() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        console.action("topology")->trigger();
        auto* empty = console.find<QLabel>("topologyEmpty");
        QVERIFY(empty->isVisible());
        QVERIFY2(empty->text().contains(QStringLiteral("cluster is connected")), qPrintable(empty->text()));
        cluster.play();
        QVERIFY(!empty->isVisible());  // nodes are shown even without a mesh
        QVERIFY(!console.find<topology::MeshMap>("meshMap")->place_of({Kind::node, "mic-1/node-1", {}}).isEmpty());
    }

    void model_docks_are_hidden_by_the_topology_and_return() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        QVERIFY(console.find<QDockWidget>("New task")->isVisible());
        console.action("topology")->trigger();
        QVERIFY(!console.find<QDockWidget>("New task")->isVisible());
        QVERIFY(console.action("topology")->isChecked());
        console.action("model_graph")->trigger();
        QVERIFY(console.find<QDockWidget>("New task")->isVisible());
    }

    void keys_move_between_elements_and_open_details() {
        TopologyConsole shown;
        QVERIFY(shown.map.hasFocus());
        shown.map.select(device("sr-1"), true);
        shown.key(Qt::Key_Down);
        QVERIFY(shown.map.selected().kind != Kind::none && shown.map.selected() != device("sr-1"));
        shown.map.select(device("sr-2"), true);
        shown.key(Qt::Key_Right);
        QCOMPARE(shown.map.selected(), link_of("sr-2", "sr-3"));
        shown.key(Qt::Key_Right);
        QCOMPARE(shown.map.selected(), device("sr-3"));
        auto* rows = shown.console.find<QTableWidget>("elementRows");
        QVERIFY(!rows->isVisible());
        shown.key(Qt::Key_Return);
        QVERIFY(rows->isVisible());
        QVERIFY(!rows->findItems(QStringLiteral("Route table"), Qt::MatchExactly).isEmpty());
        shown.console.shot("topology-details");
        shown.key(Qt::Key_Escape);
        QVERIFY(!rows->isVisible());
        QCOMPARE(shown.map.selected().kind, Kind::none);
    }

    void instance_shows_its_incarnation_and_generation() {
        TopologyConsole shown;
        shown.map.select(instance("gpt-text-1/stage-0/0"), true);
        shown.key(Qt::Key_Return);
        auto* rows = shown.console.find<QTableWidget>("elementRows");
        QVERIFY(rows->isVisible());
        for (const char* row : {"SID", "Incarnation", "Generation"})
            QCOMPARE(rows->findItems(QString::fromLatin1(row), Qt::MatchExactly).size(), 1);
    }

    void arrow_keys_reach_every_element() {
        TopologyConsole shown;
        std::set<Element> reached;
        std::vector<Element> open;
        shown.key(Qt::Key_Home);
        open.push_back(shown.map.selected());
        while (!open.empty()) {
            const Element at = open.back();
            open.pop_back();
            if (at.kind == Kind::none || !reached.insert(at).second) continue;
            for (const Qt::Key key : {Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down}) {
                shown.map.select(at, false);
                shown.key(key);
                open.push_back(shown.map.selected());
            }
        }
        const topology::MeshPicture& picture = shown.map.picture();
        const std::size_t instances = 1;
        QCOMPARE(reached.size(), picture.devices.size() + picture.links.size() + picture.mics.size() +
                                     picture.nodes.size() + instances);
    }

    void lost_router_changes_its_colour_and_text() {
        TopologyConsole shown;
        const QColor bad = model::dark_colours().bad;
        QVERIFY(shown.map.state_text(device("sr-1")).contains(QStringLiteral("up")));
        QCOMPARE(shown.pixels(device("sr-1"), bad), 0);
        QCOMPARE(shown.pixels(link_of("mg-1", "sr-1"), bad), 0);
        const QRectF place = shown.map.place_of(device("sr-1"));
        shown.mesh.at(3).up = false;
        shown.mesh.at(3).reason = "its process ended";
        for (const std::uint32_t gateway : {1U, 2U}) shown.mesh.at(gateway).neighbours[0].usable = false;
        shown.mesh.tell();
        QVERIFY(shown.map.state_text(device("sr-1")).contains(QStringLiteral("away")));
        QVERIFY(shown.map.state_text(link_of("mg-1", "sr-1")).contains(QStringLiteral("down")));
        QVERIFY(shown.pixels(device("sr-1"), bad) > 100);  // the hatching of a device that is away
        QCOMPARE(shown.map.place_of(device("sr-1")), place);
        shown.console.shot("topology-away");
        shown.mesh.state.devices.erase(shown.mesh.state.devices.begin() + 2);  // the device has left
        shown.mesh.state.links = {{1, 4, 0, 0}, {4, 5, 0, 0}, {2, 5, 0, 0}};
        shown.mesh.tell();
        QCOMPARE(shown.map.place_of(device("sr-1")), place);
        QVERIFY(shown.map.state_text(device("sr-1")).contains(QStringLiteral("left")));
    }

    void silent_node_is_marked_on_the_map() {
        TopologyConsole shown;
        const Element busy = node("mic-1/node-1"), idle = node("mic-2/node-1");
        QVERIFY(shown.map.state_text(busy).contains(QStringLiteral("ready")));
        for (client::LoadSample& sample : shown.cluster.cluster.loads.begin()->second)
            sample.time -= std::chrono::seconds(16);
        Q_EMIT shown.cluster.dataChanged();
        QTRY_VERIFY(shown.map.state_text(busy).contains(QStringLiteral("silent")));
        QVERIFY(shown.map.state_text(idle).contains(QStringLiteral("ready")));
        shown.console.shot("topology-silent");
        // A stalled instance does not make its node silent as long as the node reports its machine.
        control::NodeMachine there;
        there.node = NodeId(busy.name);
        there.machine.memory = Bytes{8} << 30;
        shown.cluster.report(there);
        Q_EMIT shown.cluster.dataChanged();
        QTRY_VERIFY(shown.map.state_text(busy).contains(QStringLiteral("ready")));
        // An idle node that once reported its machine becomes silent when the reports end.
        there.node = NodeId(idle.name);
        shown.cluster.report(there, std::chrono::steady_clock::now() - std::chrono::seconds(16));
        Q_EMIT shown.cluster.dataChanged();
        QTRY_VERIFY(shown.map.state_text(idle).contains(QStringLiteral("silent")));
    }

    void drained_node_is_marked_on_the_map() {
        TopologyConsole shown;
        const Element idle = node("mic-2/node-1");
        shown.cluster.cluster.state.nodes.at(NodeId(idle.name)).draining = true;
        Q_EMIT shown.cluster.dataChanged();
        QTRY_VERIFY2(shown.map.state_text(idle).contains(QStringLiteral("drained")),
                     qPrintable(shown.map.state_text(idle)));
        QVERIFY(shown.map.state_text(node("mic-1/node-1")).contains(QStringLiteral("ready")));
    }

    void selecting_a_task_highlights_its_path() {
        TopologyConsole shown;
        shown.mesh.route({1, 3, 2});
        shown.mesh.tell();
        const QColor accent = model::dark_colours().accent;
        QVERIFY(!shown.map.picture().links.at({"mg-1", "sr-1"}).lit());
        QCOMPARE(shown.pixels(device("sr-1"), accent), 0);
        auto* tasks = shown.console.find<QTableWidget>("taskTable");
        shown.console.show_dock("Tasks");
        QTest::mouseClick(tasks->viewport(), Qt::LeftButton, {}, tasks->visualItemRect(tasks->item(0, 0)).center());
        shown.console.action("topology")->trigger();
        const topology::MeshPicture& picture = shown.map.picture();
        QVERIFY(picture.links.at({"mg-1", "sr-1"}).there.lit && !picture.links.at({"mg-1", "sr-1"}).back.lit);
        QVERIFY(picture.links.at({"mg-2", "sr-1"}).back.lit && !picture.links.at({"mg-2", "sr-1"}).there.lit);
        QVERIFY(!picture.links.at({"mg-1", "sr-2"}).lit());
        QVERIFY(picture.nodes.at("mic-1/node-1").lit && !picture.nodes.at("mic-2/node-1").lit);
        QVERIFY(shown.pixels(device("sr-1"), accent) > 50);
        QCOMPARE(shown.pixels(device("sr-2"), accent), 0);
        shown.console.shot("topology-lit");
    }

    /// A router still reports a path that its gateway no longer uses.
    void only_the_path_in_use_is_highlighted() {
        TopologyConsole shown;
        shown.mesh.route({1, 3, 2});
        shown.mesh.route({4, 5, 2});
        shown.mesh.tell();
        shown.console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        QVERIFY(shown.map.picture().links.at({"mg-1", "sr-1"}).lit());
        QVERIFY(!shown.map.picture().links.at({"sr-2", "sr-3"}).lit());
    }

    void idle_elements_can_be_hidden_but_failed_ones_stay() {
        TopologyConsole shown;
        shown.mesh.route({1, 3, 2});
        shown.mesh.at(5).up = false;
        shown.mesh.tell();
        auto* idle = shown.console.find<QToolButton>("showIdle");
        const Element quiet = device("sr-2"), failed = device("sr-3"), used = device("sr-1");
        const auto seen = [&](const Element& element) {
            return shown.map.element_at(shown.map.place_of(element).center()) == element;
        };
        QVERIFY(seen(quiet) && seen(failed) && seen(used));
        QTest::mouseClick(idle, Qt::LeftButton);
        QVERIFY(!idle->isChecked());
        QVERIFY(!seen(quiet) && seen(failed) && seen(used));
        QVERIFY(seen({Kind::node, "mic-1/node-1", {}}) && !seen({Kind::node, "mic-2/node-1", {}}));
    }

    void dragged_elements_keep_their_place_after_a_restart() {
        TopologyConsole shown;
        const QRectF before = shown.map.place_of(device("sr-1")),
                     node = shown.map.place_of({Kind::node, "mic-1/node-1", {}});
        shown.drag(device("sr-1"), {30, 60});
        shown.drag({Kind::node, "mic-1/node-1", {}}, {10, -40});  // its MIC moves along
        const QRectF after = shown.map.place_of(device("sr-1"));
        QVERIFY(after.center().y() > before.center().y() + 20);
        QVERIFY(shown.map.place_of({Kind::mic, "mic-1", {}})
                    .contains(shown.map.place_of({Kind::node, "mic-1/node-1", {}})));
        QVERIFY(shown.map.place_of({Kind::node, "mic-1/node-1", {}}).top() < node.top());
        shown.mesh.tell();
        QCOMPARE(shown.map.place_of(device("sr-1")), after);
        shown.console.open();
        auto& again = *shown.console.find<topology::MeshMap>("meshMap");
        shown.console.action("topology")->trigger();
        shown.mesh.tell();
        QCOMPARE(again.place_of(device("sr-1")), after);
        QTest::mouseClick(shown.console.find<QPushButton>("arrangeAnew"), Qt::LeftButton);
        shown.mesh.tell();
        QCOMPARE(again.place_of(device("sr-1")), before);
    }

    void keys_zoom_and_fit_the_map() {
        TopologyConsole shown;
        const double fitted = shown.map.transform().m11();
        QTest::keyClick(&shown.map, Qt::Key_Plus);
        QVERIFY(shown.map.transform().m11() > fitted);
        QTest::keyClick(&shown.map, Qt::Key_Minus);
        QTest::keyClick(&shown.map, Qt::Key_Minus);
        QVERIFY(shown.map.transform().m11() < fitted);
        QTest::keyClick(&shown.map, Qt::Key_F);
        QCOMPARE(shown.map.transform().m11(), fitted);
        QTest::keyClick(&shown.map, Qt::Key_Plus);
        QTest::keyClick(&shown.map, Qt::Key_0);
        QCOMPARE(shown.map.transform().m11(), fitted);
    }

    void f_centres_the_element_and_a_second_f_fits_the_map() {
        TopologyConsole shown;
        shown.map.select(device("sr-1"), false);
        const auto off = [&] {
            const QPoint at = shown.map.mapFromScene(shown.map.place_of(device("sr-1")).center());
            return (at - shown.map.viewport()->rect().center()).manhattanLength();
        };
        QVERIFY(off() > 40);
        shown.key(Qt::Key_F);
        QVERIFY2(off() <= 6, qPrintable(QString::number(off())));
        QVERIFY(shown.map.transform().m11() >= 1);
        shown.key(Qt::Key_F);
        for (const char* mic : {"mic-1", "mic-2"}) {
            const QRectF place = shown.map.place_of({Kind::mic, mic, {}});
            QVERIFY2(shown.map.viewport()->rect().contains(shown.map.mapFromScene(place).boundingRect()), mic);
        }
        QVERIFY(off() > 40);
    }

    void cluster_is_queried_only_while_the_map_is_visible() {
        TopologyConsole shown;
        const std::size_t first = shown.cluster.count<control::QueryMesh>();
        QTRY_VERIFY(shown.cluster.count<control::QueryMesh>() >= first + 2);
        shown.console.action("model_graph")->trigger();
        const std::size_t hidden = shown.cluster.count<control::QueryMesh>();
        const std::size_t signals_hidden = shown.cluster.count<control::QuerySignals>();
        QTest::qWait(1200);
        // occasional requests continue, so that the past can be shown later
        QVERIFY(shown.cluster.count<control::QueryMesh>() <= hidden + 1);
        QCOMPARE(shown.cluster.count<control::QuerySignals>(), signals_hidden);
    }

    void faults_are_offered_only_if_the_cluster_allows_them() {
        TopologyConsole shown;
        auto* demonstrate = shown.console.action("cut_link");
        QVERIFY(!demonstrate->isVisible());
        const auto menu_of = [&](const Element& element) {
            shown.map.select(element, true);
            Q_EMIT shown.map.menuRequested(element, shown.map.mapToGlobal(QPoint(10, 10)));
            auto* menu = shown.console.find<QMenu>("topologyMenu");
            QStringList texts;
            for (const QAction* action : menu->actions())
                if (!action->text().isEmpty()) texts << action->text();
            delete menu;
            return texts;
        };
        QVERIFY(!menu_of(link_of("mg-1", "sr-1")).contains(QStringLiteral("Cut link")));
        shown.mesh.state.faults_allowed = true;
        shown.mesh.tell();
        QVERIFY(!demonstrate->isVisible());  // not available to a viewer
        shown.cluster.state.role = control::Role::operate;
        Q_EMIT shown.cluster.statusChanged();
        QVERIFY(demonstrate->isVisible());
        QVERIFY(menu_of(link_of("mg-1", "sr-1")).contains(QStringLiteral("Cut link")));
        QVERIFY(menu_of(device("sr-1")).contains(QStringLiteral("Kill router")));
        QVERIFY(!menu_of(device("mg-1")).contains(QStringLiteral("Kill router")));
        shown.cluster.state.connection = client::Connection::waiting;
        Q_EMIT shown.cluster.statusChanged();
        QVERIFY(!demonstrate->isVisible());
    }

    void link_is_cut_and_healed_from_its_menu() {
        TopologyConsole shown;
        shown.allow_faults();
        const Element link = link_of("mg-1", "sr-1");
        const QColor warning = model::dark_colours().warning;
        QCOMPARE(shown.pixels(link, warning), 0);
        QVERIFY(shown.choose(link, QStringLiteral("Cut link")));
        QCOMPARE(shown.cluster.all(&control::FaultLink::fault),
                 (std::vector<control::LinkFault>{{"mg-1", "sr-1", true, 0, 0}}));
        shown.mesh.state.faults = shown.cluster.all(&control::FaultLink::fault);
        shown.mesh.at(1).neighbours[0].usable = shown.mesh.at(3).neighbours[0].usable = false;
        shown.mesh.tell();
        QVERIFY(shown.map.state_text(link).contains(QStringLiteral("cut on purpose")));
        QVERIFY2(shown.pixels(link, warning) > 10, qPrintable(QString::number(shown.pixels(link, warning))));
        shown.console.shot("topology-cut");
        QVERIFY(shown.choose(link, QStringLiteral("Heal link")));
        QCOMPARE(shown.cluster.last<control::HealFaults>().a, std::string("mg-1"));
        QCOMPARE(shown.cluster.last<control::HealFaults>().b, std::string("sr-1"));
        auto* heal = shown.console.find<QPushButton>("healAll");
        QVERIFY(heal->isVisible());
        QTest::mouseClick(heal, Qt::LeftButton);
        QCOMPARE(shown.cluster.count<control::HealFaults>(), std::size_t{2});
        QVERIFY(shown.cluster.last<control::HealFaults>().a.empty() &&
                shown.cluster.last<control::HealFaults>().b.empty());
        shown.mesh.state.faults.clear();
        shown.mesh.tell();
        QVERIFY(!heal->isVisible());
        QVERIFY(!shown.map.state_text(link).contains(QStringLiteral("on purpose")));
    }

    void link_is_slowed_by_a_rate_and_a_delay() {
        TopologyConsole shown;
        shown.allow_faults();
        shown.map.select(link_of("mg-1", "sr-1"), true);
        shown.console.action("slow_link")->trigger();
        auto* dialog = shown.console.find<QDialog>("slowLinkDialog");
        auto* rate = dialog->findChild<QLineEdit*>(QStringLiteral("slowRate"));
        auto* delay = dialog->findChild<QLineEdit*>(QStringLiteral("slowDelay"));
        auto* accept = dialog->findChild<QPushButton*>(QStringLiteral("slowAccept"));
        auto* problem = dialog->findChild<QLabel*>(QStringLiteral("slowProblem"));
        QVERIFY(accept->isEnabled());
        for (const char* bad : {"fast", "20 parsecs", "-3 MB/s", "1 B/s", ""}) {
            rate->setText(QString::fromLatin1(bad));
            QVERIFY2(!accept->isEnabled() && !problem->text().isEmpty(), bad);
        }
        shown.console.shot("slow-link", dialog);
        rate->setText(QStringLiteral("5 MB/s"));
        QTest::keyClicks(delay, QStringLiteral("10ms"));
        QVERIFY2(accept->isEnabled(), qPrintable(problem->text()));
        QTest::mouseClick(accept, Qt::LeftButton);
        QCOMPARE(shown.cluster.last<control::FaultLink>().fault,
                 (control::LinkFault{"mg-1", "sr-1", false, 5e6, 0.01}));
        shown.mesh.state.faults = shown.cluster.all(&control::FaultLink::fault);
        shown.mesh.tell();
        const QString text = shown.map.state_text(link_of("mg-1", "sr-1"));
        QVERIFY2(text.contains(QStringLiteral("5 MB/s")) && text.contains(QStringLiteral("usable")), qPrintable(text));
        shown.console.shot("topology-slowed");
    }

    void fault_demonstration_asks_for_a_selection_first() {
        TopologyConsole shown;
        shown.allow_faults();
        shown.console.action("model_graph")->trigger();
        shown.map.select({}, false);
        shown.console.action("kill_router")->trigger();
        QVERIFY(shown.map.isVisible());
        auto* hint = shown.console.find<QLabel>("hint");
        QVERIFY2(hint->text().contains(QStringLiteral("Select a router")), qPrintable(hint->text()));
        QVERIFY(shown.cluster.all<control::KillRouter>().empty());
        shown.map.select(device("mg-1"), true);
        shown.console.action("kill_router")->trigger();
        QVERIFY(shown.cluster.all<control::KillRouter>().empty());  // its MIC has no other gateway
        shown.map.select(device("sr-2"), true);
        shown.console.action("kill_router")->trigger();
        QCOMPARE(shown.cluster.all(&control::KillRouter::name), std::vector<std::string>{"sr-2"});
    }

    void processes_are_killed_and_paused_from_their_menus() {
        TopologyConsole shown;
        shown.allow_faults();
        const Element first = instance("gpt-text-1/stage-0/0");
        QVERIFY(shown.choose(first, QStringLiteral("Kill instance")));
        QCOMPARE(shown.cluster.all(&control::KillInstance::sid), std::vector{Sid("gpt-text-1/stage-0/0")});
        QVERIFY(shown.choose(node("mic-2/node-1"), QStringLiteral("Kill node")));
        QCOMPARE(shown.cluster.all(&control::KillNode::node), std::vector{NodeId("mic-2/node-1")});
        QVERIFY(shown.choose(first, QStringLiteral("Pause instance\u2026")));
        auto* dialog = shown.console.find<QInputDialog>("pauseDialog");
        QCOMPARE(dialog->intValue(), 10);
        QCOMPARE(dialog->intMaximum(), 60);
        shown.console.shot("pause-instance", dialog);
        dialog->setIntValue(3);
        dialog->accept();
        QCOMPARE(shown.cluster.all(&control::PauseInstance::sid), std::vector{Sid("gpt-text-1/stage-0/0")});
        QCOMPARE(shown.cluster.last<control::PauseInstance>().seconds, 3.0);
        auto* hint = shown.console.find<QLabel>("hint");
        QVERIFY2(hint->text().contains(QStringLiteral("for 3 s")), qPrintable(hint->text()));
        // The menu Demonstrate does the same for the selected element.
        shown.map.select(first, true);
        shown.console.action("kill_instance")->trigger();
        QCOMPARE(shown.cluster.count<control::KillInstance>(), std::size_t(2));
        shown.console.action("kill_node")->trigger();
        QVERIFY2(hint->text().contains(QStringLiteral("Select a node")), qPrintable(hint->text()));
        shown.map.select({}, false);
        for (const char* action : {"kill_instance", "pause_instance"}) {
            shown.console.action(action)->trigger();
            QVERIFY2(hint->text().contains(QStringLiteral("Select an instance")), qPrintable(hint->text()));
        }
        QCOMPARE(shown.cluster.count<control::KillInstance>(), std::size_t(2));
        QCOMPARE(shown.cluster.count<control::KillNode>(), std::size_t(1));
    }

    void impossible_process_faults_are_disabled_with_the_reason() {
        TopologyConsole shown;
        const Element first = instance("gpt-text-1/stage-0/0"), second = node("mic-2/node-1");
        const auto grey = [&](const Element& element, const char* what, const char* why) {
            const QString text = QStringLiteral("[%1 (%2)]").arg(QString::fromLatin1(what), QString::fromLatin1(why));
            const QStringList offered = shown.offers(element);
            QVERIFY2(offered.contains(text), qPrintable(offered.join(u'|')));
        };
        grey(first, "Kill instance", "this cluster does not allow injected faults; an embedded cluster does");
        shown.mesh.state.faults_allowed = true;
        shown.mesh.tell();
        grey(second, "Kill node", "your role is not allowed to inject faults");
        shown.allow_faults();
        QVERIFY(shown.offers(first).contains(QStringLiteral("Kill instance")));
        QVERIFY(!shown.offers(device("mg-1")).contains(QStringLiteral("Kill node")));
        shown.cluster.tell(control::NodeEnded{NodeId("mic-2/node-1"), control::NodeState::lost, "it is silent"});
        Q_EMIT shown.cluster.dataChanged();
        grey(second, "Kill node", "mic-2/node-1 is away and cannot be reached");
        shown.cluster.tell(control::InstanceEnded{InstanceId("gpt-text-1/stage-0/0"), "it was killed"});
        Q_EMIT shown.cluster.dataChanged();
        grey(first, "Kill instance", "its process has ended");
    }

    void demonstrate_menu_says_why_a_fault_is_impossible() {
        TopologyConsole shown;
        shown.allow_faults();
        QMenu* demonstrate = nullptr;
        for (const QAction* title : shown.console.window->menuBar()->actions())
            if (title->text() == QStringLiteral("&Demonstrate")) demonstrate = title->menu();
        QVERIFY(demonstrate);
        const QAction *kill = shown.console.action("kill_node"), *pause = shown.console.action("pause_instance");
        shown.map.select(instance("gpt-text-1/stage-0/0"), true);
        Q_EMIT demonstrate->aboutToShow();
        QVERIFY(pause->isEnabled() && !kill->isEnabled());
        QVERIFY2(kill->toolTip().contains(QStringLiteral("Select a node")), qPrintable(kill->toolTip()));
        Q_EMIT demonstrate->aboutToHide();
        QVERIFY(kill->isEnabled());
        shown.map.select(node("mic-2/node-1"), true);
        Q_EMIT demonstrate->aboutToShow();
        QVERIFY(!pause->isEnabled() && kill->isEnabled());
        QVERIFY2(pause->toolTip().contains(QStringLiteral("Select an instance")), qPrintable(pause->toolTip()));
        Q_EMIT demonstrate->aboutToHide();
    }

    void figures_of_a_link_show_their_age() {
        TopologyConsole shown;
        const Element link = link_of("mg-1", "sr-1");
        shown.map.select(link, true);
        shown.key(Qt::Key_Return);
        auto* rows = shown.console.find<QTableWidget>("elementRows");
        const auto reported = [&] {
            const auto found = rows->findItems(QStringLiteral("Reported"), Qt::MatchExactly);
            return found.size() == 2 ? rows->item(found.front()->row(), 1)->text() : QString();
        };
        QCOMPARE(reported(), QStringLiteral("now"));
        for (const std::uint32_t id : {2U, 4U, 5U}) shown.mesh.at(id).heard += std::chrono::seconds(20);
        shown.mesh.tell();  // mg-1 and sr-1 have sent no report since
        shown.mesh.at(1).heard = shown.mesh.at(3).heard = TimePoint(std::chrono::seconds(1));
        QTRY_VERIFY_WITH_TIMEOUT(reported().contains(QStringLiteral("s ago")), 4000);
    }

    void flow_without_a_path_shows_no_backup() {
        TopologyConsole shown;
        shown.mesh.route({1, 3, 2});
        control::FlowReport flow = shown.mesh.at(1).flows.front();
        flow.path.clear();
        flow.promised_bytes = 1 << 20;
        shown.mesh.at(1).flows = shown.mesh.at(4).flows = {flow};
        shown.mesh.state.places = {{flow.task, flow.source, 1, "", ""}, {flow.task, flow.destination, 2, "", ""}};
        shown.mesh.tell();
        const auto way = [&](const Element& element) {
            shown.map.select(element, true);
            shown.key(Qt::Key_Return);
            auto* rows = shown.console.find<QTableWidget>("elementRows");
            return rows->item(rows->rowCount() - 1, 1)->text();
        };
        QVERIFY2(way(device("mg-1")).contains(QStringLiteral("no path")), qPrintable(way(device("mg-1"))));
        QVERIFY2(way(device("sr-2")).contains(QStringLiteral("backup")), qPrintable(way(device("sr-2"))));
    }

    void path_row_and_its_links_select_each_other() {
        TopologyConsole shown;
        shown.mesh.route({1, 3, 2});
        shown.mesh.tell();
        shown.map.select(device("mg-1"), true);
        shown.key(Qt::Key_Return);
        auto* rows = shown.console.find<QTableWidget>("elementRows");
        const auto path = [&] {
            const auto found = rows->findItems(QStringLiteral("gpt-text-1/stage-0/0"), Qt::MatchStartsWith);
            return found.isEmpty() ? nullptr : found.front();
        };
        const auto click = [&] {
            QCoreApplication::processEvents();  // lets the table be laid out
            rows->scrollToItem(path());
            QTest::mouseClick(rows->viewport(), Qt::LeftButton, {}, rows->visualItemRect(path()).center());
        };
        QVERIFY(path() && !path()->font().bold());
        model::Selection& selection = shown.console.window->context().selection;
        click();
        QCOMPARE(selection.current(), model::Selected::of_link("mg-1", "sr-1"));
        QCOMPARE(shown.map.selected(), link_of("mg-1", "sr-1"));
        QVERIFY(path() && path()->font().bold());  // the table still shows the gateway
        click();
        QCOMPARE(selection.current(), model::Selected::of_link("mg-2", "sr-1"));
        QVERIFY(path() && path()->font().bold());
        shown.mesh.tell();
        QVERIFY(path() && path()->font().bold());
        shown.console.shot("path-of-link");
        selection.select(model::Selected::of_link("mg-1", "sr-77"));  // not on the map
        QVERIFY(path() && !path()->font().bold());
        shown.map.select(device("sr-2"), true);
        QVERIFY(!path());
    }

    void departed_elements_can_be_forgotten() {
        TopologyConsole shown;
        auto* forget = shown.console.find<QPushButton>("forgetLeft");
        QVERIFY(!forget->isVisible());
        shown.cluster.cluster.state.nodes.erase(NodeId("mic-2/node-1"));
        shown.mesh.state.devices.erase(shown.mesh.state.devices.begin() + 2);
        shown.mesh.state.links = {{1, 4, 0, 0}, {4, 5, 0, 0}, {2, 5, 0, 0}};
        shown.mesh.tell();
        const QString mic = shown.map.state_text({Kind::mic, "mic-2", {}});
        QVERIFY2(mic.contains(QStringLiteral("1 left")) && !mic.contains(QStringLiteral("of 1")), qPrintable(mic));
        QVERIFY(forget->isVisible());  // no element was dragged
        QVERIFY(!shown.console.find<QPushButton>("arrangeAnew")->isVisible());
        shown.console.shot("topology-left");
        QTest::mouseClick(forget, Qt::LeftButton);
        QVERIFY(shown.map.place_of(device("sr-1")).isEmpty());
        QVERIFY(!forget->isVisible());
    }

    void drag_of_an_ending_instance_moves_its_mic() {
        TopologyConsole shown;
        const Element instance{Kind::instance, "gpt-text-1/stage-0/0", {}};
        const QPoint from = shown.map.mapFromScene(shown.map.place_of(instance).center());
        const QRectF before = shown.map.place_of({Kind::mic, "mic-1", {}});
        QTest::mousePress(shown.map.viewport(), Qt::LeftButton, {}, from);
        QTest::mouseMove(shown.map.viewport(), from + QPoint(20, 0));
        shown.cluster.tell(control::InstanceChanged{InstanceId(instance.name), control::InstanceState::finished, ""});
        shown.cluster.cluster.state.instances.clear();
        Q_EMIT shown.cluster.dataChanged();
        QCOMPARE(shown.map.selected().kind, Kind::none);
        QTest::mouseMove(shown.map.viewport(), from + QPoint(60, 0));
        QTest::mouseRelease(shown.map.viewport(), Qt::LeftButton, {}, from + QPoint(60, 0));
        QVERIFY(shown.map.dragged().routers.empty());
        QVERIFY(shown.map.place_of({Kind::mic, "mic-1", {}}).left() > before.left() + 20);
    }

    void menu_entries_have_distinct_keys() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        for (const char* language : {"en", "zh_CN"}) {
            console.window->set_language(QString::fromLatin1(language));
            std::set<QString> titles;
            for (const QAction* title : console.window->menuBar()->actions()) {
                const QString key = QKeySequence::mnemonic(title->text()).toString();
                QVERIFY2(key.isEmpty() || titles.insert(key).second, qPrintable(title->text()));
                std::set<QString> keys;
                for (const QAction* action : title->menu()->actions()) {
                    const QString own = QKeySequence::mnemonic(action->text()).toString();
                    QVERIFY2(own.isEmpty() || keys.insert(own).second, qPrintable(action->text()));
                }
            }
        }
    }

    void a_large_mesh_stays_smooth() {
        TopologyConsole shown;
        control::MeshState& state = shown.mesh.state;
        state = {};
        for (std::uint32_t id = 1; id <= 250; ++id) {
            control::DeviceView one;
            one.id = id;
            one.up = true;
            const bool gateway = id <= 50;
            one.info.name = (gateway ? "mg-" : "sr-") + std::to_string(id) + (id == 60 ? std::string(200, 'x') : "");
            if (gateway) one.info.mic = MicId("mic-" + std::to_string(id));
            one.info.role = gateway ? mesh::DeviceRole::gateway : mesh::DeviceRole::router;
            const std::uint32_t other = gateway ? id * 4 + 40 : std::max(51U, id / 2 + 20);
            if (other != id) state.links.push_back({std::min(id, other), std::max(id, other), 0, 0});
            state.devices.push_back(one);
        }
        shown.mesh.tell();
        shown.map.fit();
        const double before = testing::thread_cpu_ms();
        for (int i = 0; i < 5; ++i) {
            shown.mesh.tell();
            shown.map.viewport()->repaint();
        }
        const double shown_ms = testing::thread_cpu_ms() - before;
        QVERIFY2(shown_ms < 5 * 100, qPrintable(QString::number(shown_ms)));
        shown.console.shot("topology-large");
    }
};

DIVISI_WINDOW_TEST(TopologyTest)

}  // namespace topology_test

#include "topology_test.moc"
