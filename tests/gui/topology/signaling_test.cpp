// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the Signaling view with a scripted client.
#include <QComboBox>
#include <QTableView>

#include "backend/control/protocol/signal_texts.h"
#include "backend/mesh/signaling/rsvp.h"
#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/headers.h"
#include "tests/gui/scripted_mesh.h"
#include "tests/support/test_program.h"

namespace signaling_test {

using namespace divisi;
using testing::ScriptedClient;
using testing::ScriptedMesh;

namespace {

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

class SignalingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void messages_are_filtered_and_opened() {
        testing::ConnectedConsole shown;
        shown.console.show_dock("Signaling");
        ScriptedMesh mesh(shown.cluster);
        mesh.tell();
        QTRY_VERIFY(!shown.cluster.all<control::QuerySignals>().empty());
        control::Signals said;
        const auto add = [&](std::uint32_t from, std::uint32_t to, std::string bytes) {
            said.records.push_back(
                {TimePoint(std::chrono::seconds(5)), from, to, std::move(bytes), said.records.size() + 1});
        };
        add(1, 3, *mesh::encode(rsvp(mesh::RsvpType::credit_path, 1, 2, 7)));
        add(3, 1, *mesh::encode(rsvp(mesh::RsvpType::credit_resv, 1, 2, 7)));
        add(2, 3, *mesh::encode(rsvp(mesh::RsvpType::path_tear, 2, 1, 9)));
        add(5, 2, "garbage");
        shown.cluster.answer(control::QuerySignals{}, said);
        auto* table = shown.console.find<QTableView>("signalTable");
        const auto text = [&](int row, int column) { return table->model()->index(row, column).data().toString(); };
        QCOMPARE(table->model()->rowCount(), 4);
        QCOMPARE(text(0, 1), QStringLiteral("credit-based PATH"));
        QCOMPARE(text(0, 2), QStringLiteral("mg-1"));
        // The names come from the flow's PATH message.
        QVERIFY2(text(1, 4).contains(QStringLiteral("gpt/stage-0/0")), qPrintable(text(1, 4)));
        QCOMPARE(text(3, 1), QStringLiteral("unreadable"));
        QTRY_VERIFY(shown.cluster.last<control::QuerySignals>().after == 4);
        auto* type = shown.console.find<QComboBox>("signalType");
        type->setFocus();
        QTest::keyClick(type, Qt::Key_Down);
        QCOMPARE(text(0, 1), QStringLiteral("credit-based PATH"));
        QTest::keyClick(type, Qt::Key_Down);
        QCOMPARE(table->model()->rowCount(), 1);
        QCOMPARE(text(0, 1), QStringLiteral("credit-based RESV"));
        auto* fields = shown.console.find<QTableWidget>("signalFields");
        QVERIFY(!fields->isVisible());  // no empty panel before a message is selected
        table->selectRow(0);
        QVERIFY(fields->isVisible());
        QCOMPARE(fields->findItems(QStringLiteral("CREDIT"), Qt::MatchStartsWith | Qt::MatchCaseSensitive).size(), 1);
        shown.console.shot("signaling");
        QTest::keyClick(type, Qt::Key_Home);
        auto* sender = shown.console.find<QComboBox>("signalSender");
        sender->setFocus();
        for (int i = 0; i < 2; ++i) QTest::keyClick(sender, Qt::Key_Down);
        QCOMPARE(sender->currentText(), QStringLiteral("mg-2"));
        QCOMPARE(table->model()->rowCount(), 1);
        QCOMPARE(text(0, 1), QStringLiteral("PathTear"));
        QTest::keyClick(sender, Qt::Key_Home);
        auto* flow = shown.console.find<QLineEdit>("signalFlow");
        QTest::mouseClick(flow, Qt::LeftButton);
        QTest::keyClicks(flow, QStringLiteral("STAGE-1"));
        QCOMPARE(table->model()->rowCount(), 2);
    }

    /// Messages of types 1, 3 and 5 are sent to the orchestrator, and policies are sent by the orchestrator.
    void messages_to_and_from_the_orchestrator_are_shown() {
        testing::ConnectedConsole shown;
        shown.console.show_dock("Signaling");
        ScriptedMesh mesh(shown.cluster);
        mesh.tell();
        QTRY_VERIFY(!shown.cluster.all<control::QuerySignals>().empty());
        const TimePoint at(std::chrono::seconds(5));
        shown.cluster.answer(
            control::QuerySignals{},
            {{{at, 0, 0, "gpt-1/stage-0/0 is active\nnode mic-1/node-1", 1, control::registration_signal},
              {at, 1, 0, "gpt-1/stage-0/0 > gpt-1/stage-1/0: denied\nreason no rule", 2, control::request_signal},
              {at, 3, 0, "2 MB/s to neighbours", 3, control::report_signal},
              {at, 0, 0, "policy 1 by me: share 100 to 40", 4, control::report_signal}},
             false});
        auto* table = shown.console.find<QTableView>("signalTable");
        const auto row = [&](int number) {
            QStringList texts;
            for (int column = 1; column < 5; ++column) texts << table->model()->index(number, column).data().toString();
            return texts.join(QStringLiteral("|"));
        };
        QCOMPARE(row(0), QStringLiteral("type 1, registration|gpt-1/stage-0/0|orchestrator|gpt-1/stage-0/0 is active"));
        QCOMPARE(row(1), QStringLiteral("type 3, request|mg-1|orchestrator|gpt-1/stage-0/0 > gpt-1/stage-1/0: denied"));
        QCOMPARE(row(3), QStringLiteral("type 5, report|orchestrator|all|policy 1 by me: share 100 to 40"));
        table->selectRow(1);
        auto* fields = shown.console.find<QTableWidget>("signalFields");
        QCOMPARE(fields->findItems(QStringLiteral("no rule"), Qt::MatchExactly).size(), 1);
        auto* type = shown.console.find<QComboBox>("signalType");
        type->setFocus();
        QTest::keyClick(type, Qt::Key_End);
        QCOMPARE(type->currentText(), QStringLiteral("type 5, report"));
        QCOMPARE(table->model()->rowCount(), 2);
    }

    void messages_are_sorted_by_a_header() {
        testing::ConnectedConsole shown;
        shown.console.show_dock("Signaling");
        ScriptedMesh mesh(shown.cluster);
        mesh.tell();
        const auto report = [&](std::uint64_t number, int second, const char* text) {
            shown.cluster.answer(
                control::QuerySignals{},
                {{{TimePoint(std::chrono::seconds(second)), 3, 0, text, number, control::report_signal}}, false});
        };
        report(1, 7, "10 MB/s to neighbours");
        report(2, 5, "9 MB/s to neighbours");
        report(3, 6, "100 MB/s to neighbours");
        auto* table = shown.console.find<QTableView>("signalTable");
        auto* fields = shown.console.find<QTableWidget>("signalFields");
        const auto shows = [&] {
            QStringList numbers;
            for (const QString& flow : testing::shown_column(*table, 4)) numbers << flow.section(u' ', 0, 0);
            return numbers.join(u' ');
        };
        const auto number = [&] { return fields->item(0, 1)->text(); };
        QCOMPARE(shows(), QStringLiteral("10 9 100"));
        table->selectRow(1);
        QCOMPARE(number(), QStringLiteral("2"));
        testing::press_header(*table, 4);
        QCOMPARE(shows(), QStringLiteral("9 10 100"));
        QCOMPARE(table->currentIndex().row(), 0);
        report(4, 8, "2 MB/s to neighbours");
        QCOMPARE(shows(), QStringLiteral("2 9 10 100"));
        QCOMPARE(table->currentIndex().row(), 1);
        QCOMPARE(number(), QStringLiteral("2"));
        shown.console.shot("signaling-sorted");
        testing::press_header(*table, 0);  // sorts by time
        QCOMPARE(shows(), QStringLiteral("9 100 10 2"));
        for (int i = 0; i < 2; ++i) testing::press_header(*table, 0);
        QCOMPARE(shows(), QStringLiteral("10 9 100 2"));  // in the order of arrival
        QCOMPARE(number(), QStringLiteral("2"));
    }

    void filter_text_matches_any_column() {
        testing::ConnectedConsole shown;
        shown.console.show_dock("Signaling");
        ScriptedMesh mesh(shown.cluster);
        mesh.tell();
        const auto report = [&](std::uint64_t number, const char* text) {
            shown.cluster.answer(
                control::QuerySignals{},
                {{{TimePoint(std::chrono::seconds(5)), 3, 0, text, number, control::report_signal}}, false});
        };
        report(1, "10 MB/s to neighbours");
        report(2, "9 MB/s to neighbours");
        auto* table = shown.console.find<QTableView>("signalTable");
        auto& filter = *shown.console.find<QLineEdit>("signalFilter");
        const auto shows = [&] {
            QStringList numbers;
            for (const QString& flow : testing::shown_column(*table, 4)) numbers << flow.section(u' ', 0, 0);
            return numbers.join(u' ');
        };
        table->selectRow(1);
        testing::write_filter(filter, "9 mb");
        QCOMPARE(shows(), QStringLiteral("9"));
        // the details of message 2 stay open
        QCOMPARE(shown.console.find<QTableWidget>("signalFields")->item(0, 1)->text(), QStringLiteral("2"));
        report(3, "19 MB/s to neighbours");
        report(4, "2 MB/s to neighbours");
        QCOMPARE(shows(), QStringLiteral("9 19"));
        shown.console.shot("signaling-filtered");
        testing::write_filter(filter, "2 MB");
        QCOMPARE(shows(), QStringLiteral("2"));
        QVERIFY(!table->currentIndex().isValid());      // the selected message is hidden, and no other is selected
        testing::write_filter(filter, "ORCHESTRATOR");  // the recipient of these messages
        QCOMPARE(table->model()->rowCount(), 4);
        filter.clear();
        QCOMPARE(table->model()->rowCount(), 4);
    }

    void change_of_language_translates_messages_and_fields() {
        testing::ConnectedConsole shown;
        shown.console.show_dock("Signaling");
        ScriptedMesh mesh(shown.cluster);
        mesh.tell();
        const TimePoint at(std::chrono::seconds(5));
        shown.cluster.answer(control::QuerySignals{},
                             {{{at, 3, 0, "2 MB/s to neighbours", 1, control::report_signal},
                               {at, 0, 0, "policy 1 by me: share 100 to 40", 2, control::report_signal}},
                              false});
        auto* table = shown.console.find<QTableView>("signalTable");
        auto* fields = shown.console.find<QTableWidget>("signalFields");
        table->selectRow(1);
        const auto sender = [&] { return table->model()->index(1, 2).data().toString(); };
        QCOMPARE(sender(), QStringLiteral("orchestrator"));
        QCOMPARE(fields->item(0, 0)->text(), QStringLiteral("Number"));
        shown.console.action("chinese")->trigger();
        QCoreApplication::processEvents();
        QCOMPARE(sender(), QStringLiteral("\u7f16\u6392\u5668"));
        QCOMPARE(table->currentIndex().row(), 1);
        QVERIFY(fields->item(0, 0)->text() != QStringLiteral("Number"));
        QCOMPARE(fields->item(0, 1)->text(), QStringLiteral("2"));
        shown.console.action("english")->trigger();
        QCoreApplication::processEvents();
        QCOMPARE(sender(), QStringLiteral("orchestrator"));
    }

    /// A routing identifier that was freed may be assigned to another device.
    void reused_identifier_names_its_device_at_that_time() {
        testing::ConnectedConsole shown;
        shown.console.show_dock("Signaling");
        ScriptedMesh mesh(shown.cluster);
        mesh.tell();
        QTRY_VERIFY(!shown.cluster.all<control::QuerySignals>().empty());
        const auto at = [](int seconds) { return TimePoint(std::chrono::seconds(seconds)); };
        const std::string bytes = *mesh::encode(rsvp(mesh::RsvpType::path_tear, 1, 2, 7));
        shown.cluster.answer(control::QuerySignals{}, {{{at(2), 3, 1, bytes, 1}}, false});
        mesh.at(3).info.name = "sr-9";
        for (const std::uint32_t id : {1U, 2U, 3U, 4U, 5U}) mesh.at(id).heard = at(200);
        const std::size_t asked = shown.cluster.count<control::QueryMesh>();
        QTRY_VERIFY(shown.cluster.count<control::QueryMesh>() > asked);  // requested even if no identifier is unknown
        mesh.tell();
        shown.cluster.answer(control::QuerySignals{}, {{{at(201), 3, 1, bytes, 2}, {at(3), 3, 1, bytes, 3}}, false});
        auto* table = shown.console.find<QTableView>("signalTable");
        const auto from = [&](int row) { return table->model()->index(row, 2).data().toString(); };
        QCOMPARE(from(0), QStringLiteral("sr-1"));
        QCOMPARE(from(1), QStringLiteral("sr-9"));
        QCOMPARE(from(2), QStringLiteral("sr-1"));  // sent by sr-1: an old message that arrived late
    }

    void new_connection_clears_the_messages() {
        testing::ConnectedConsole shown;
        shown.console.show_dock("Signaling");
        ScriptedMesh mesh(shown.cluster);
        mesh.tell();
        control::Signals said;
        said.records.push_back({{}, 1, 3, *mesh::encode(rsvp(mesh::RsvpType::path_tear, 1, 2, 7)), 900});
        shown.cluster.answer(control::QuerySignals{}, said);
        auto* table = shown.console.find<QTableView>("signalTable");
        QCOMPARE(table->model()->rowCount(), 1);
        shown.cluster.state.connection = client::Connection::waiting;
        Q_EMIT shown.cluster.statusChanged();
        QCOMPARE(table->model()->rowCount(), 1);  // known messages stay readable
        shown.cluster.connect_to(QStringLiteral("lab"));
        QCOMPARE(table->model()->rowCount(), 0);
        mesh.tell();
        said.records.front().number = 1;  // the orchestrator was restarted
        shown.cluster.answer(control::QuerySignals{}, said);
        QCOMPARE(table->model()->rowCount(), 1);
    }
};

DIVISI_WINDOW_TEST(SignalingTest)

}  // namespace signaling_test

#include "signaling_test.moc"
