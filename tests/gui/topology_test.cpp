// SPDX-License-Identifier: GPL-3.0-or-later
// The picture of the mesh and its signaling, told by a client that a test feeds.
#include <QComboBox>
#include <QElapsedTimer>
#include <QTableView>

#include "backend/mesh/rsvp.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"

using namespace divisi;
using testing::ScriptedClient;
using topology::Element;

namespace {

using Kind = Element::Kind;

Element device(const char* name) { return {Kind::device, name, {}}; }
Element link_of(const char* a, const char* b) { return {Kind::link, a, b}; }

/// The mesh of an embedded cluster, which the test changes and tells again.
struct ScriptedMesh {
    ScriptedClient& cluster;
    control::MeshState state;

    explicit ScriptedMesh(ScriptedClient& told) : cluster(told) {
        add("mg-1", "mic-1");
        add("mg-2", "mic-2");
        for (const char* router : {"sr-1", "sr-2", "sr-3"}) add(router, "");
        for (const auto& [a, b] : {std::pair{1U, 3U}, {2U, 3U}, {1U, 4U}, {4U, 5U}, {2U, 5U}}) {
            state.links.push_back({a, b, 0, 0});
            at(a).neighbours.push_back({b, true, 0, 0, 8 << 20});
            at(b).neighbours.push_back({a, true, 0, 0, 8 << 20});
        }
    }
    control::DeviceView& at(std::uint32_t id) { return state.devices[id - 1]; }
    void tell() {
        for (control::DeviceView& device : state.devices)
            if (device.up) device.heard += std::chrono::milliseconds(500);
        Q_EMIT cluster.meshCame(state);
    }
    /// A flow of the task of ScriptedClient::play(), by these devices.
    void route(std::vector<std::uint32_t> path) {
        control::FlowReport flow;
        flow.task = TaskId("gpt-text-1");
        flow.source = Sid("gpt-text-1/stage-0/0");
        flow.destination = Sid("gpt-text-1/stage-1/0");
        flow.path = std::move(path);
        at(flow.path.front()).flows = {flow};
    }

private:
    void add(const char* name, const char* mic) {
        control::DeviceView device;
        device.id = static_cast<std::uint32_t>(state.devices.size() + 1);
        device.info.name = name;
        device.info.mic = MicId(mic);
        device.info.role = *mic ? mesh::DeviceRole::gateway : mesh::DeviceRole::router;
        device.info.pid = 1;
        device.info.buffer = Bytes{256} << 20;
        device.up = true;
        device.heard = TimePoint(std::chrono::seconds(1));
        state.devices.push_back(device);
    }
};

/// A console that shows the topology.
struct TopologyConsole {
    ScriptedClient cluster;
    testing::Console console{&cluster};
    ScriptedMesh mesh{cluster};
    topology::MeshMap& map = *console.find<topology::MeshMap>("meshMap");

    TopologyConsole() {
        cluster.connect_to(QStringLiteral("lab"));
        cluster.play();
        console.action("topology")->trigger();
        mesh.tell();
        QCoreApplication::processEvents();
    }
    /// How many pixels of an element have this colour.
    int pixels(const Element& element, const QColor& colour) {
        const QRect place = map.mapFromScene(map.place_of(element)).boundingRect();
        const QImage image = map.viewport()->grab(place).toImage();
        int count = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) count += image.pixelColor(x, y) == colour ? 1 : 0;
        return count;
    }
    void key(Qt::Key key, Qt::KeyboardModifiers with = {}) { QTest::keyClick(&map, key, with); }
    void drag(const Element& element, QPoint by) {
        const QPoint from = map.mapFromScene(map.place_of(element).center());
        QTest::mousePress(map.viewport(), Qt::LeftButton, {}, from);
        for (int i = 1; i <= 4; ++i) QTest::mouseMove(map.viewport(), from + by * i / 4);
        QTest::mouseRelease(map.viewport(), Qt::LeftButton, {}, from + by);
    }
};

mesh::RsvpMessage rsvp(mesh::RsvpType type, std::uint16_t from, std::uint16_t to, std::uint16_t flow) {
    mesh::RsvpMessage message;
    message.type = type;
    message.session = {mesh::device_address(mesh::RoutingId(to)), 6, 0, flow};
    message.sender = {mesh::device_address(mesh::RoutingId(from)), flow};
    message.hop = {mesh::device_address(mesh::RoutingId(from)), 1};
    if (type == mesh::RsvpType::credit_path) message.sids = {{"gpt", "gpt/stage-0/0", "gpt/stage-1/0"}};
    if (type == mesh::RsvpType::credit_resv) message.credit = {{flow, 1, 8'388'608}};
    return message;
}

}  // namespace

class TopologyTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void without_anything_it_says_what_to_do() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        console.action("topology")->trigger();
        auto* empty = console.find<QLabel>("topologyEmpty");
        QVERIFY(empty->isVisible());
        QVERIFY2(empty->text().contains(QStringLiteral("cluster is connected")), qPrintable(empty->text()));
        cluster.play();
        QVERIFY(!empty->isVisible());  // nodes alone are shown, too
        QVERIFY(!console.find<topology::MeshMap>("meshMap")->place_of({Kind::node, "mic-1/node-1", {}}).isEmpty());
    }

    void the_model_docks_make_room_and_come_back() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        QVERIFY(console.find<QDockWidget>("New task")->isVisible());
        console.action("topology")->trigger();
        QVERIFY(!console.find<QDockWidget>("New task")->isVisible());
        QVERIFY(console.action("topology")->isChecked());
        console.action("model_graph")->trigger();
        QVERIFY(console.find<QDockWidget>("New task")->isVisible());
    }

    void keys_go_from_element_to_element_and_open_details() {
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

    void every_element_is_reached_by_arrows() {
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

    void a_router_that_goes_away_looks_and_reads_otherwise() {
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
        QVERIFY(shown.pixels(device("sr-1"), bad) > 100);  // its hatch
        QCOMPARE(shown.map.place_of(device("sr-1")), place);
        shown.console.shot("topology-away");
        shown.mesh.state.devices.erase(shown.mesh.state.devices.begin() + 2);  // it has left
        shown.mesh.state.links = {{1, 4, 0, 0}, {4, 5, 0, 0}, {2, 5, 0, 0}};
        shown.mesh.tell();
        QCOMPARE(shown.map.place_of(device("sr-1")), place);
        QVERIFY(shown.map.state_text(device("sr-1")).contains(QStringLiteral("left")));
    }

    void a_chosen_task_lights_its_path() {
        TopologyConsole shown;
        shown.mesh.route({1, 3, 2});
        shown.mesh.tell();
        const QColor accent = model::dark_colours().accent;
        QVERIFY(!shown.map.picture().links.at({"mg-1", "sr-1"}).lit());
        QCOMPARE(shown.pixels(device("sr-1"), accent), 0);
        auto* tasks = shown.console.find<QTableWidget>("taskTable");
        shown.console.show_dock("Tasks");
        QTest::mouseClick(tasks->viewport(), Qt::LeftButton, {}, tasks->visualItemRect(tasks->item(0, 0)).center());
        const topology::MeshPicture& picture = shown.map.picture();
        QVERIFY(picture.links.at({"mg-1", "sr-1"}).there.lit && !picture.links.at({"mg-1", "sr-1"}).back.lit);
        QVERIFY(picture.links.at({"mg-2", "sr-1"}).back.lit && !picture.links.at({"mg-2", "sr-1"}).there.lit);
        QVERIFY(!picture.links.at({"mg-1", "sr-2"}).lit());
        QVERIFY(picture.nodes.at("mic-1/node-1").lit && !picture.nodes.at("mic-2/node-1").lit);
        QVERIFY(shown.pixels(device("sr-1"), accent) > 50);
        QCOMPARE(shown.pixels(device("sr-2"), accent), 0);
        shown.console.shot("topology-lit");
    }

    /// A router goes on reporting a path that the gateway has left.
    void only_the_path_in_use_is_lit() {
        TopologyConsole shown;
        shown.mesh.route({1, 3, 2});
        shown.mesh.route({4, 5, 2});
        shown.mesh.tell();
        shown.console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        QVERIFY(shown.map.picture().links.at({"mg-1", "sr-1"}).lit());
        QVERIFY(!shown.map.picture().links.at({"sr-2", "sr-3"}).lit());
    }

    void idle_parts_are_left_out_but_never_what_failed() {
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

    void what_is_dragged_stays_there_also_in_the_next_session() {
        TopologyConsole shown;
        const QRectF before = shown.map.place_of(device("sr-1")),
                     node = shown.map.place_of({Kind::node, "mic-1/node-1", {}});
        shown.drag(device("sr-1"), {30, 60});
        shown.drag({Kind::node, "mic-1/node-1", {}}, {10, -40});  // its MIC goes along
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

    void zoom_and_fit_are_on_keys() {
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

    void the_cluster_is_asked_only_while_somebody_looks() {
        TopologyConsole shown;
        const int first = shown.cluster.mesh_asked;
        QTRY_VERIFY(shown.cluster.mesh_asked >= first + 2);
        shown.console.action("model_graph")->trigger();
        const int hidden = shown.cluster.mesh_asked;
        QTest::qWait(1200);
        QCOMPARE(shown.cluster.mesh_asked, hidden);
        QVERIFY(shown.cluster.signals_asked.empty());
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
        QElapsedTimer timer;
        timer.start();
        for (int i = 0; i < 5; ++i) {
            shown.mesh.tell();
            shown.map.viewport()->repaint();
        }
        QVERIFY2(timer.elapsed() < 5 * 100, qPrintable(QString::number(timer.elapsed())));
        shown.console.shot("topology-large");
    }

    void signaling_is_filtered_and_opened() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.connect_to(QStringLiteral("lab"));
        console.action("topology")->trigger();  // which leaves the docks below more room
        console.show_dock("Signaling");
        ScriptedMesh mesh(cluster);
        mesh.tell();
        QTRY_VERIFY(!cluster.signals_asked.empty());
        control::Signals said;
        const auto add = [&](std::uint32_t from, std::uint32_t to, std::string bytes) {
            said.records.push_back(
                {TimePoint(std::chrono::seconds(5)), from, to, std::move(bytes), said.records.size() + 1});
        };
        add(1, 3, *mesh::encode(rsvp(mesh::RsvpType::credit_path, 1, 2, 7)));
        add(3, 1, *mesh::encode(rsvp(mesh::RsvpType::credit_resv, 1, 2, 7)));
        add(2, 3, *mesh::encode(rsvp(mesh::RsvpType::path_tear, 2, 1, 9)));
        add(5, 2, "garbage");
        Q_EMIT cluster.signalsCame(said);
        auto* table = console.find<QTableView>("signalTable");
        const auto text = [&](int row, int column) { return table->model()->index(row, column).data().toString(); };
        QCOMPARE(table->model()->rowCount(), 4);
        QCOMPARE(text(0, 1), QStringLiteral("credit-based PATH"));
        QCOMPARE(text(0, 2), QStringLiteral("mg-1"));
        QVERIFY2(text(1, 4).contains(QStringLiteral("gpt/stage-0/0")), qPrintable(text(1, 4)));  // of its PATH
        QCOMPARE(text(3, 1), QStringLiteral("unreadable"));
        QTRY_VERIFY(cluster.signals_asked.back() == 4);
        auto* type = console.find<QComboBox>("signalType");
        type->setFocus();
        QTest::keyClick(type, Qt::Key_Down);
        QCOMPARE(text(0, 1), QStringLiteral("credit-based PATH"));
        QTest::keyClick(type, Qt::Key_Down);
        QCOMPARE(table->model()->rowCount(), 1);
        QCOMPARE(text(0, 1), QStringLiteral("credit-based RESV"));
        table->selectRow(0);
        auto* fields = console.find<QTableWidget>("signalFields");
        QCOMPARE(fields->findItems(QStringLiteral("CREDIT"), Qt::MatchStartsWith | Qt::MatchCaseSensitive).size(), 1);
        console.shot("signaling");
        QTest::keyClick(type, Qt::Key_Home);
        auto* sender = console.find<QComboBox>("signalSender");
        sender->setFocus();
        for (int i = 0; i < 2; ++i) QTest::keyClick(sender, Qt::Key_Down);
        QCOMPARE(sender->currentText(), QStringLiteral("mg-2"));
        QCOMPARE(table->model()->rowCount(), 1);
        QCOMPARE(text(0, 1), QStringLiteral("PathTear"));
        QTest::keyClick(sender, Qt::Key_Home);
        auto* flow = console.find<QLineEdit>("signalFlow");
        QTest::mouseClick(flow, Qt::LeftButton);
        QTest::keyClicks(flow, QStringLiteral("STAGE-1"));
        QCOMPARE(table->model()->rowCount(), 2);
    }

    void signaling_begins_anew_with_a_new_connection() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.connect_to(QStringLiteral("lab"));
        console.show_dock("Signaling");
        ScriptedMesh mesh(cluster);
        mesh.tell();
        control::Signals said;
        said.records.push_back({{}, 1, 3, *mesh::encode(rsvp(mesh::RsvpType::path_tear, 1, 2, 7)), 900});
        Q_EMIT cluster.signalsCame(said);
        auto* table = console.find<QTableView>("signalTable");
        QCOMPARE(table->model()->rowCount(), 1);
        cluster.state.connection = client::Connection::waiting;
        Q_EMIT cluster.statusChanged();
        QCOMPARE(table->model()->rowCount(), 1);  // what was heard can still be read
        cluster.connect_to(QStringLiteral("lab"));
        QCOMPARE(table->model()->rowCount(), 0);
        mesh.tell();
        said.records.front().number = 1;  // the orchestrator was started again
        Q_EMIT cluster.signalsCame(said);
        QCOMPARE(table->model()->rowCount(), 1);
    }
};

QTEST_MAIN(TopologyTest)
#include "topology_test.moc"
