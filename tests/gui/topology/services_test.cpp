// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the console's view of the registry with a scripted client.
#include <QElapsedTimer>
#include <QLabel>
#include <QTableView>

#include "app/client/record_codec.h"
#include "app/client/replay_client.h"
#include "app/shell/replay/recordings.h"
#include "backend/control/protocol/connection_messages.h"
#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/headers.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace services_test {

using namespace divisi;
using testing::ScriptedClient;

namespace {

control::ServiceRow service(const char* sid, mesh::Revision revision, mesh::Health health = mesh::Health::active) {
    control::ServiceRow row;
    row.revision = revision;
    row.said.prefix = sid;
    row.said.sid = Sid(sid);
    row.said.incarnation = 1;
    row.said.resource_type = "cpu";
    row.said.capability = {31.2e9, Bytes{8} << 30, "cpu"};
    row.said.address = {"ipc:///run/divisi/instance-1.sock", ""};
    row.said.mic = MicId("mic-1");
    row.said.node = NodeId("mic-1/node-1");
    row.said.input_schema = "float32[4,64]";
    row.said.output_schema = "float32[4,64,128]";
    row.said.health = health;
    row.said.task = TaskId("gpt-1");
    row.said.generation = 3;
    return row;
}

/// A fixture with a console that shows the services, and a registry.
struct ServicesConsole : testing::ConnectedConsole {
    QTableView& table = *console.find<QTableView>("serviceTable");
    QTableWidget& fields = *console.find<QTableWidget>("serviceFields");

    ServicesConsole() { console.show_dock("Services"); }
    bool asked() {
        return QTest::qWaitFor([&] { return !cluster.all<control::WatchServices>().empty(); }, 3000);
    }
    void answer(std::vector<control::ServiceRow> rows, mesh::Revision revision, bool snapshot = false,
                mesh::Epoch epoch = 7, std::vector<control::LeaseAge> leases = {},
                std::vector<control::ServiceDevice> devices = {}) {
        cluster.answer(cluster.last<control::WatchServices>(),
                       {epoch, revision, snapshot, std::move(rows), false, std::move(leases), std::move(devices)});
    }
    void click(int row) {
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                          table.visualRect(table.model()->index(row, 0)).center());
    }
    QString text(int row, int column) const { return table.model()->index(row, column).data().toString(); }
    QString field(const char* name) const {
        const auto found = fields.findItems(QString::fromLatin1(name), Qt::MatchExactly);
        return found.isEmpty() ? QString() : fields.item(found.front()->row(), 1)->text();
    }
};

}  // namespace

class ServicesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void instance_shows_the_instances_it_waits_for() {
        ServicesConsole shown;
        shown.cluster.play();
        QVERIFY(shown.asked());
        shown.answer({service("gpt-text-1/stage-0/0", 1)}, 1, true);
        control::InstanceLoad load;
        load.instance = InstanceId("gpt-text-1/stage-0/0#1");
        load.waits_for = {InstanceId("gpt-text-1/stage-1/0#1")};
        load.waits_ms = 300;
        shown.cluster.tell(control::InstancePlaced{TaskId("gpt-text-1"), load.instance, Sid("gpt-text-1/stage-0/0"),
                                                   NodeId("mic-1/node-1"), 0});
        shown.cluster.report(load);
        shown.click(0);
        QVERIFY2(shown.field("Doing").startsWith(QStringLiteral("waits for gpt-text-1/stage-1/0#1")),
                 qPrintable(shown.field("Doing")));
    }

    void view_without_services_shows_the_reason() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        console.show_dock("Services");
        auto* empty = console.find<QLabel>("serviceEmpty");
        QVERIFY2(empty->text().contains(QStringLiteral("no connection")), qPrintable(empty->text()));
        cluster.connect_to(QStringLiteral("lab"));
        QVERIFY2(empty->text().contains(QStringLiteral("Asking")), qPrintable(empty->text()));
        QTRY_VERIFY(!cluster.all<control::WatchServices>().empty());
        cluster.answer(cluster.last<control::WatchServices>(), {7, 0, true, {}, false});
        QVERIFY2(empty->text().contains(QStringLiteral("No service is registered")), qPrintable(empty->text()));
        QVERIFY(empty->isVisible());
        console.shot("services-empty");
    }

    void services_of_a_snapshot_and_later_changes_are_shown() {
        ServicesConsole shown;
        QVERIFY(shown.asked());
        QCOMPARE(shown.cluster.last<control::WatchServices>().epoch, 0U);
        shown.answer({service("gpt-1/stage-10/0", 4), service("gpt-1/stage-2/0", 5, mesh::Health::pending)}, 5, true);
        QCOMPARE(shown.table.model()->rowCount(), 2);
        QCOMPARE(shown.text(0, 0), QStringLiteral("gpt-1/stage-2/0"));  // sorted by number, not alphabetically
        QVERIFY(shown.text(0, 3).contains(QStringLiteral("pending")));
        QCOMPARE(shown.text(1, 5), QStringLiteral("mic-1/node-1"));
        QVERIFY2(shown.text(1, 6).contains(QStringLiteral("GFLOP/s")), qPrintable(shown.text(1, 6)));
        QCOMPARE(shown.text(1, 8), QStringLiteral("\u2013"));              // lease ages are not known yet
        QCOMPARE(shown.cluster.last<control::WatchServices>().since, 5U);  // the next watch starts at once
        QCOMPARE(shown.cluster.last<control::WatchServices>().epoch, 7U);
        shown.answer({service("gpt-1/stage-2/0", 6)}, 6);
        QVERIFY(shown.text(0, 3).contains(QStringLiteral("active")));
        QCOMPARE(shown.text(0, 8), QStringLiteral("now"));
        control::ServiceRow stale = service("gpt-1/stage-2/0", 7);
        stale.stale = true;
        shown.answer({stale}, 7);
        QVERIFY(shown.text(0, 3).contains(QStringLiteral("stale")));
        control::ServiceRow gone = service("gpt-1/stage-10/0", 8);
        gone.removed = true;
        shown.answer({gone, service("gpt-1/stage-3/0", 9)}, 9);
        QCOMPARE(shown.table.model()->rowCount(), 3);
        QCOMPARE(shown.text(1, 0), QStringLiteral("gpt-1/stage-3/0"));
        QVERIFY2(shown.text(2, 3).contains(QStringLiteral("left")), qPrintable(shown.text(2, 3)));
        QVERIFY(shown.console.find<QLabel>("serviceCount")->text().startsWith(QStringLiteral("2 of 2 services")));
        shown.console.shot("services");
    }

    void tooltips_name_the_terms_of_the_drafts() {
        ServicesConsole shown;
        for (const int column : {0, 2})  // the columns SID and incarnation
            QVERIFY(shown.table.model()
                        ->headerData(column, Qt::Horizontal, Qt::ToolTipRole)
                        .toString()
                        .contains(QStringLiteral("in the drafts")));
    }

    void leases_show_the_time_since_their_renewal() {
        ServicesConsole shown;
        QVERIFY(shown.asked());
        QVERIFY(shown.cluster.last<control::WatchServices>().leases);
        control::ServiceRow first = service("gpt-1/stage-0/0", 1), second = service("gpt-1/stage-1/0", 2);
        first.renewed_ms = 1900;
        second.renewed_ms = 200;
        shown.answer({first, second}, 2, true);
        QCOMPARE(shown.table.model()->headerData(4, Qt::Horizontal).toString(), QStringLiteral("Renewed"));
        QCOMPARE(shown.text(0, 4), QStringLiteral("1.9 s ago"));
        QCOMPARE(shown.text(1, 4), QStringLiteral("0.2 s ago"));
        // Renewals are not changes, but watchers still receive the new lease ages.
        shown.answer({}, 2, false, 7, {{first.said.sid, 300}, {Sid("gpt-1/stage-7/0"), 1}});
        QCOMPARE(shown.text(0, 4), QStringLiteral("0.3 s ago"));
        QCOMPARE(shown.table.model()->rowCount(), 2);
        QTRY_VERIFY(shown.text(0, 4) != QStringLiteral("0.3 s ago"));  // the age grows without new messages
        second.removed = true;
        second.revision = 3;
        shown.answer({second}, 3);
        QCOMPARE(shown.text(1, 4), QStringLiteral("\u2013"));
        // Ages of many leases are sent in batches.
        std::vector<control::LeaseAge> many;
        for (std::size_t i = 0; i < control::most_lease_ages; ++i) many.push_back({Sid("a/" + std::to_string(i)), 1});
        shown.answer({}, 3, false, 7, many);
        QCOMPARE(shown.cluster.last<control::WatchServices>().leases_after, many.back().sid);
        shown.answer({}, 3, false, 7, {{first.said.sid, 100}});
        QCOMPARE(shown.cluster.last<control::WatchServices>().leases_after, Sid());
    }

    void gateways_and_routers_are_listed_among_the_services() {
        ServicesConsole shown;
        QVERIFY(shown.asked());
        const control::ServiceDevice gateway{"mg-1", mesh::DeviceRole::gateway, 3, 1, false, false, 400};
        control::ServiceDevice router{"sr-10", mesh::DeviceRole::router, 5, 2, false, false, 0};
        control::ServiceDevice second{"sr-2", mesh::DeviceRole::router, 4, 3, true, false, 11'000};
        shown.answer({service("gpt-1/stage-0/0", 4)}, 4, true, 7, {}, {gateway, router, second});
        QCOMPARE(shown.table.model()->rowCount(), 4);
        // sorted by number, not alphabetically
        const char* const names[] = {"gpt-1/stage-0/0", "mg-1", "sr-2", "sr-10"};
        const char* const kinds[] = {"instance", "gateway", "router", "router"};
        for (int row = 0; row < 4; ++row) {
            QCOMPARE(shown.text(row, 0), QLatin1String(names[row]));
            QCOMPARE(shown.text(row, 1), QLatin1String(kinds[row]));
        }
        QVERIFY2(shown.text(1, 3).contains(QStringLiteral("held")), qPrintable(shown.text(1, 3)));
        QVERIFY2(shown.text(2, 3).contains(QStringLiteral("stale")), qPrintable(shown.text(2, 3)));
        QCOMPARE(shown.text(1, 4), QStringLiteral("0.4 s ago"));
        // services and devices are both renewed
        shown.answer({}, 4, false, 7, {{Sid("mg-1"), 100}, {Sid("sr-10"), 300}});
        QCOMPARE(shown.text(1, 4), QStringLiteral("0.1 s ago"));
        QCOMPARE(shown.text(3, 4), QStringLiteral("0.3 s ago"));
        QVERIFY(shown.console.find<QLabel>("serviceCount")
                    ->text()
                    .startsWith(QStringLiteral("1 of 1 services \u00b7 3 of 3 gateways and routers")));
        shown.click(2);
        QCOMPARE(shown.field("Device"), QStringLiteral("sr-2"));
        QCOMPARE(shown.field("Routing identifier"), QStringLiteral("4"));
        QVERIFY2(shown.field("Lease").startsWith(QStringLiteral("lapsed")), qPrintable(shown.field("Lease")));
        shown.console.shot("services-devices");
        second.revision = 5;
        second.removed = true;
        router.revision = 6;
        router.stale = true;
        shown.answer({}, 6, false, 7, {}, {second, router});
        QVERIFY2(shown.text(2, 3).contains(QStringLiteral("left")), qPrintable(shown.text(2, 3)));
        QCOMPARE(shown.text(2, 4), QStringLiteral("\u2013"));
        QVERIFY2(shown.text(3, 3).contains(QStringLiteral("stale")), qPrintable(shown.text(3, 3)));
        auto* prefix = shown.console.find<QLineEdit>("servicePrefix");
        QTest::mouseClick(prefix, Qt::LeftButton);
        QTest::keyClicks(prefix, QStringLiteral("mg"));
        QCOMPARE(shown.table.model()->rowCount(), 1);
        QCOMPARE(shown.text(0, 0), QStringLiteral("mg-1"));
    }

    void repeated_answer_counts_once() {
        ServicesConsole shown;
        QVERIFY(shown.asked());
        const control::WatchServices first = shown.cluster.last<control::WatchServices>();
        const control::ServiceChanges all{7, 2, true, {service("a/b/0", 1), service("a/c/0", 2)}, false};
        shown.cluster.answer(first, all);
        control::ServiceRow gone = service("a/b/0", 3);
        gone.removed = true;
        shown.answer({gone}, 3);
        shown.cluster.answer(first, all);
        QVERIFY(shown.text(0, 3).contains(QStringLiteral("left")));
    }

    void prefix_filters_services_and_a_row_can_be_opened() {
        ServicesConsole shown;
        QVERIFY(shown.asked());
        shown.answer({service("gpt-1/stage-0/0", 1), service("vit-2/stage-0/0", 2)}, 2, true);
        auto* prefix = shown.console.find<QLineEdit>("servicePrefix");
        QTest::mouseClick(prefix, Qt::LeftButton);
        QTest::keyClicks(prefix, QStringLiteral("vit"));
        QCOMPARE(shown.table.model()->rowCount(), 1);
        QCOMPARE(shown.text(0, 0), QStringLiteral("vit-2/stage-0/0"));
        QTest::mouseClick(shown.table.viewport(), Qt::LeftButton, {},
                          shown.table.visualRect(shown.table.model()->index(0, 0)).center());
        QCOMPARE(shown.field("SID"), QStringLiteral("vit-2/stage-0/0"));
        QCOMPARE(shown.field("Input"), QStringLiteral("float32[4,64]"));
        QCOMPARE(shown.field("Generation"), QStringLiteral("3"));
        QVERIFY2(shown.field("Lease").contains(QStringLiteral("10 s")), qPrintable(shown.field("Lease")));
        shown.answer({service("vit-2/stage-0/0", 3, mesh::Health::draining), service("vit-2/data/0", 4)}, 4);
        QVERIFY2(shown.field("State").contains(QStringLiteral("draining")), qPrintable(shown.field("State")));
        QCOMPARE(shown.table.currentIndex().row(), 1);  // the same service stays selected
        shown.console.shot("services-opened");
        QTest::keyClicks(prefix, QStringLiteral("nobody"));
        auto* empty = shown.console.find<QLabel>("serviceEmpty");
        QVERIFY(empty->isVisible());
        QVERIFY2(empty->text().contains(QStringLiteral("vitnobody")), qPrintable(empty->text()));
    }

    void filter_text_matches_any_column() {
        ServicesConsole shown;
        QVERIFY(shown.asked());
        control::ServiceRow far = service("gpt-1/stage-1/0", 2);
        far.said.node = NodeId("mic-2/node-7");
        shown.answer({service("gpt-1/stage-0/0", 1), far}, 2, true);
        auto& filter = *shown.console.find<QLineEdit>("serviceFilter");
        const auto shows = [&] { return testing::shown_column(shown.table, 0); };
        shown.click(1);
        testing::write_filter(filter, "NODE-7");
        QCOMPARE(shows(), QStringList{QStringLiteral("gpt-1/stage-1/0")});
        QCOMPARE(shown.table.currentIndex().row(), 0);  // the row stays selected
        QCOMPARE(shown.field("SID"), QStringLiteral("gpt-1/stage-1/0"));
        QVERIFY(shown.console.find<QLabel>("serviceCount")->text().startsWith(QStringLiteral("1 of 2 services")));
        shown.console.shot("services-filtered");
        control::ServiceRow next = service("gpt-1/stage-2/0", 3), other = service("gpt-1/stage-3/0", 4);
        next.said.node = far.said.node;
        shown.answer({next, other}, 4);  // the filter applies to later rows, too
        QCOMPARE(shows(), (QStringList{QStringLiteral("gpt-1/stage-1/0"), QStringLiteral("gpt-1/stage-2/0")}));
        testing::write_filter(filter, "node-1");
        QCOMPARE(shows(), (QStringList{QStringLiteral("gpt-1/stage-0/0"), QStringLiteral("gpt-1/stage-3/0")}));
        // no other row is selected instead
        QVERIFY(!shown.table.currentIndex().isValid() && !shown.fields.isVisible());
        testing::write_filter(filter, "nobody");
        auto* empty = shown.console.find<QLabel>("serviceEmpty");
        QVERIFY(empty->isVisible());
        QVERIFY2(empty->text().contains(QStringLiteral("has the text nobody")), qPrintable(empty->text()));
        filter.clear();
        QCOMPARE(shows().size(), 4);
    }

    void registry_is_watched_only_while_the_view_is_visible() {
        ServicesConsole shown;
        QVERIFY(shown.asked());
        shown.console.show_dock("Logs");
        const std::size_t hidden = shown.cluster.count<control::WatchServices>();
        QTest::qWait(1200);
        QCOMPARE(shown.cluster.count<control::WatchServices>(), hidden);
    }

    void new_connection_watches_the_registry_again() {
        ServicesConsole shown;
        QVERIFY(shown.asked());
        shown.answer({service("gpt-1/stage-0/0", 1)}, 1, true);
        shown.cluster.state.connection = client::Connection::waiting;
        Q_EMIT shown.cluster.statusChanged();
        QCOMPARE(shown.table.model()->rowCount(), 1);  // known services stay readable
        shown.cluster.connect_to(QStringLiteral("lab"));
        QCOMPARE(shown.table.model()->rowCount(), 0);
        QTRY_COMPARE(shown.cluster.last<control::WatchServices>().epoch, 0U);
    }

    /// A recording has gateways and routers as part of its mesh, which may be newer than the registry's revision.
    void replay_shows_gateways_added_without_a_new_revision() {
        const TimePoint begun{std::chrono::seconds(1'700'000'000)};
        const control::ServiceRow row = service("gpt-1/stage-0/0", 5);
        client::Mail first, second;
        control::MeshState mesh;
        first.status.emplace();
        first.status->connection = client::Connection::connected;
        first.status->where = QStringLiteral("lab");
        first.snapshot.emplace();
        first.snapshot->name = "lab";
        first.snapshot->registry = {7, 5};
        first.snapshot->services[row.said.sid] = {row.said, row.revision, false};
        mesh.devices.resize(2);
        mesh.devices[0].id = 1;
        mesh.devices[1].id = 2;
        mesh.devices[0].info.name = "mg-1";
        mesh.devices[1].info.name = "sr-1";
        second.add(control::QueryMesh{}, mesh);
        QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath(QStringLiteral("lab.divisirec")).toStdString();
        auto writer = store::RecordingWriter::create(file, {"0.1.0", control::protocol_version, begun}).value();
        QVERIFY(writer.write(client::records_of(first, {}).value()).ok());
        QVERIFY(writer.write(client::records_of(second, std::chrono::seconds(1)).value()).ok());
        QVERIFY(writer.finish().ok());
        const auto replay = client::ReplayClient::open(file).value();
        testing::Console console(replay.get());
        console.show_dock("Services");
        const auto* rows = console.find<QTableView>("serviceTable")->model();
        QTRY_COMPARE(rows->rowCount(), 1);
        model::ReplayPlayer& player = *console.window->recordings().player();
        player.go(begun + std::chrono::milliseconds(500));
        QTest::qWait(50);
        QCOMPARE(rows->rowCount(), 1);
        player.go(begun + std::chrono::seconds(1));
        QTRY_COMPARE(rows->rowCount(), 3);
        QStringList names;
        for (int at = 0; at < 3; ++at) names << rows->index(at, 0).data().toString();
        names.sort();
        QCOMPARE(names,
                 QStringList({QStringLiteral("gpt-1/stage-0/0"), QStringLiteral("mg-1"), QStringLiteral("sr-1")}));
        player.go(begun);  // before any device was known
        QTRY_COMPARE(rows->rowCount(), 1);
    }

    void services_are_sorted_by_a_header_and_the_selection_stays() {
        ServicesConsole shown;
        QVERIFY(shown.asked());
        std::vector<control::ServiceRow> rows{service("gpt-1/stage-0/0", 1), service("gpt-1/stage-1/0", 2),
                                              service("gpt-1/stage-2/0", 3)};
        rows[0].said.incarnation = 10;
        rows[1].said.incarnation = 9;
        rows[2].said.incarnation = 100;
        shown.answer(rows, 3, true);
        const auto shows = [&] { return testing::shown_column(shown.table, 2); };
        const QStringList as_they_come{QStringLiteral("10"), QStringLiteral("9"), QStringLiteral("100")};
        QCOMPARE(shows(), as_they_come);
        shown.click(1);
        const auto chosen = [&] { return shown.table.currentIndex().siblingAtColumn(0).data().toString(); };
        QCOMPARE(chosen(), QStringLiteral("gpt-1/stage-1/0"));
        testing::press_header(shown.table, 2);
        QCOMPARE(shows(), (QStringList{QStringLiteral("9"), QStringLiteral("10"), QStringLiteral("100")}));
        QCOMPARE(chosen(), QStringLiteral("gpt-1/stage-1/0"));
        QCOMPARE(shown.field("SID"), QStringLiteral("gpt-1/stage-1/0"));
        shown.console.shot("services-sorted");
        // Another row is inserted above the selected one, which stays selected with its details open.
        control::ServiceRow early = service("gpt-1/stage-3/0", 4);
        early.said.incarnation = 2;
        shown.answer({early}, 4);
        QCOMPARE(shows().front(), QStringLiteral("2"));
        QCOMPARE(chosen(), QStringLiteral("gpt-1/stage-1/0"));
        QCOMPARE(shown.field("Incarnation"), QStringLiteral("9"));
        testing::press_header(shown.table, 2);
        QCOMPARE(shows().front(), QStringLiteral("100"));
        testing::press_header(shown.table, 2);
        QCOMPARE(shows(), as_they_come + QStringList{QStringLiteral("2")});
        QCOMPARE(chosen(), QStringLiteral("gpt-1/stage-1/0"));
    }

    void row_being_read_stays_in_place_while_others_change() {
        ServicesConsole shown;
        QVERIFY(shown.asked());
        std::vector<control::ServiceRow> rows;
        for (int i = 0; i < 200; ++i) {
            rows.push_back(service(("gpt-1/stage-" + std::to_string(i) + "/0").c_str(), 1 + static_cast<unsigned>(i)));
            rows.back().said.incarnation = 100 + static_cast<unsigned>(i);
        }
        shown.answer(rows, 200, true);
        testing::press_header(shown.table, 2);
        const QModelIndex middle = shown.table.model()->index(100, 2);
        shown.table.setCurrentIndex(middle);
        shown.table.scrollTo(middle, QAbstractItemView::PositionAtCenter);
        const int before = shown.table.visualRect(middle).top();
        QVERIFY(before > 0);
        for (unsigned i = 0; i < 5; ++i) {
            control::ServiceRow early = service(("early-" + std::to_string(i) + "/stage-0/0").c_str(), 201 + i);
            early.said.incarnation = 1 + i;
            shown.answer({early}, 201 + i);
        }
        QCOMPARE(shown.table.currentIndex().row(), 105);
        QCOMPARE(shown.table.currentIndex().data().toString(), QStringLiteral("200"));
        QCOMPARE(shown.table.visualRect(shown.table.currentIndex()).top(), before);
    }

    void many_services_stay_smooth() {
        // The cost of a change is at most linear in the rows: ten times the rows may take ten times as long, plus some
        // noise.
        const qint64 few = changes_among(500), many = changes_among(5000);
        QVERIFY2(many < 20 * std::max<qint64>(few, 20), qPrintable(QStringLiteral("%1 %2 ms").arg(few).arg(many)));
    }

private:
    /// Returns the milliseconds for 100 changes of one service among `count`.
    static qint64 changes_among(int count) {
        ServicesConsole shown;
        if (!shown.asked()) return -1;
        std::vector<control::ServiceRow> rows;
        for (int i = 0; i < count; ++i)
            rows.push_back(service(("task-" + std::to_string(i / 8) + "/stage-" + std::to_string(i % 8) + "/0").c_str(),
                                   static_cast<mesh::Revision>(i + 1)));
        const auto last = static_cast<mesh::Revision>(count);
        shown.answer(rows, last, true);
        QElapsedTimer timer;
        timer.start();
        for (mesh::Revision revision = last + 1; revision <= last + 100; ++revision)
            shown.answer({service("task-7/stage-3/0", revision)}, revision);
        const qint64 taken = timer.elapsed();
        shown.console.shot("services-many");
        return taken;
    }
};

DIVISI_WINDOW_TEST(ServicesTest)

}  // namespace services_test

#include "services_test.moc"
