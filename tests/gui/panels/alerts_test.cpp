// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the console's alerts, log of all processes, and draining of nodes, with a scripted client.
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QPushButton>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeWidget>

#include "app/panels/faults/log_table.h"
#include "app/panels/tables/row_table.h"
#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace alerts_test {

using namespace divisi;
using panels::LogTable;
using panels::RowTable;
using testing::ScriptedClient;

namespace {

struct AlertsConsole : testing::ConnectedConsole {
    RowTable& table = *console.find<RowTable>("alertTable");
    QLabel& empty = *console.find<QLabel>("alertEmpty");
    QToolButton& button = *console.find<QToolButton>("openAlerts");

    explicit AlertsConsole(const char* dock = "Alerts", control::Role role = control::Role::operate)
        : ConnectedConsole(dock, role) {}
    std::uint64_t raise(control::AlertRule rule, const char* task, const char* node) {
        control::Alert alert;
        alert.number = cluster.cluster.state.sequence + 1;
        alert.rule = rule;
        alert.task = TaskId(task);
        alert.node = NodeId(node);
        alert.subject = *task ? task : node;
        alert.raised = TimePoint(std::chrono::seconds(100));
        alert.value = 900;
        alert.bound = 300;
        alert.what = "steps take longer than before";
        alert.next = "see what else its nodes do";
        cluster.tell(control::AlertRaised{alert});
        Q_EMIT cluster.dataChanged();
        return alert.number;
    }
    void choose(int row) {
        QCoreApplication::processEvents();  // lets the rows be laid out
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                          table.visualRect(table.model()->index(row, 1)).center());
        QCoreApplication::processEvents();
    }
    RowTable& log() { return *console.find<RowTable>("logTable"); }
    /// Opens the menu of a node's row with the right button.
    QMenu* menu_of(const char* node) {
        auto* tree = console.find<QTreeWidget>("topologyTree");
        const auto found = tree->findItems(QString::fromLatin1(node), Qt::MatchExactly | Qt::MatchRecursive);
        if (found.isEmpty()) return nullptr;
        console.press_right(tree->viewport(), tree->visualItemRect(found.front()).center());
        return console.window->findChild<QMenu*>(QStringLiteral("nodeMenu"));
    }
};

control::LogLine line(std::uint64_t number, const char* text, Severity severity = Severity::info) {
    control::LogLine one;
    one.number = number;
    one.time = TimePoint(std::chrono::seconds(1000 + number));
    one.severity = severity;
    one.component = "instance gpt-text-1/stage-0/0";
    one.task = TaskId("gpt-text-1");
    one.node = NodeId("mic-1/node-1");
    one.text = text;
    return one;
}

}  // namespace

class AlertsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void view_without_alerts_names_the_config_section() {
        AlertsConsole shown;
        QVERIFY2(shown.empty.isVisible() && shown.empty.text().contains(QStringLiteral("[alerts]")),
                 qPrintable(shown.empty.text()));
        QVERIFY(!shown.button.isVisible());
    }

    void open_alerts_are_counted_and_listed_first() {
        AlertsConsole shown;
        const std::uint64_t slow = shown.raise(control::AlertRule::slow_training, "gpt-text-1", "");
        (void)shown.raise(control::AlertRule::disk_short, "", "mic-2/node-1");
        QVERIFY(shown.button.isVisible());
        QVERIFY2(shown.button.text().contains(u'2'), qPrintable(shown.button.text()));
        QCOMPARE(shown.table.shown(), 2);
        QCOMPARE(shown.table.text(1, 0), QStringLiteral("slow training"));
        QVERIFY2(shown.table.text(1, 3).startsWith(QStringLiteral("900")), qPrintable(shown.table.text(1, 3)));
        QVERIFY2(shown.table.text(1, 4).startsWith(QStringLiteral("300")), qPrintable(shown.table.text(1, 4)));
        shown.console.shot("alerts");
        shown.cluster.tell(control::AlertCleared{slow + 1, TaskId(), "there is room again"});
        Q_EMIT shown.cluster.dataChanged();
        QVERIFY(shown.button.text().contains(u'1'));
        QCOMPARE(shown.table.text(0, 0), QStringLiteral("slow training"));
        QVERIFY(shown.table.text(1, 5).contains(QStringLiteral("cleared")));
        QTest::mouseClick(shown.console.find<QCheckBox>("clearedAlerts"), Qt::LeftButton);
        QTRY_COMPARE(shown.table.shown(), 1);
        shown.choose(0);
        auto* fields = shown.console.find<QTableWidget>("alertFields");
        QVERIFY(fields->isVisible());
        QCOMPARE(fields->findItems(QStringLiteral("see what else its nodes do"), Qt::MatchExactly).size(), 1);
    }

    void status_bar_button_opens_the_alerts() {
        AlertsConsole shown("Tasks");
        (void)shown.raise(control::AlertRule::slow_training, "gpt-text-1", "");
        QVERIFY(!shown.table.isVisible());
        QTest::mouseClick(&shown.button, Qt::LeftButton);
        QTRY_VERIFY(shown.table.isVisible());
        QCOMPARE(shown.table.shown(), 1);
    }

    void button_shows_the_subject_of_an_alert() {
        AlertsConsole shown;
        (void)shown.raise(control::AlertRule::slow_training, "gpt-text-1", "");
        shown.choose(0);
        QTest::mouseClick(shown.console.find<QPushButton>("alertSubject"), Qt::LeftButton);
        auto* tasks = shown.console.find<QTableWidget>("taskTable");
        QTRY_VERIFY(tasks->isVisible());
        QVERIFY(tasks->currentRow() >= 0);
        shown.console.show_dock("Alerts");
        (void)shown.raise(control::AlertRule::node_silent, "", "mic-2/node-1");
        shown.choose(0);
        QTest::mouseClick(shown.console.find<QPushButton>("alertSubject"), Qt::LeftButton);
        auto* tree = shown.console.find<QTreeWidget>("topologyTree");
        QTRY_VERIFY(tree->isVisible() && tree->currentItem());
        QCOMPARE(tree->currentItem()->text(0), QStringLiteral("mic-2/node-1"));
    }

    void process_log_lines_are_listed_among_the_events() {
        AlertsConsole shown("Logs");
        QTRY_VERIFY(!shown.cluster.all<control::QueryLines>().empty());
        const int events = shown.log().shown();
        control::LinesPage page;
        page.lines = {line(1, "loaded its segment"), line(2, "no memory", Severity::error)};
        shown.cluster.answer(shown.cluster.last<control::QueryLines>(), page);
        QCOMPARE(shown.log().shown(), events + 2);
        const int last = shown.log().shown() - 1;
        QCOMPARE(shown.log().text(last, LogTable::what), QStringLiteral("no memory"));
        QCOMPARE(shown.log().text(last, LogTable::source), QStringLiteral("instance gpt-text-1/stage-0/0"));
        // A line that is sent again is shown once.
        shown.cluster.forget<control::QueryLines>();
        QTRY_VERIFY(!shown.cluster.all<control::QueryLines>().empty());
        page.lines.push_back(line(3, "goes on"));
        shown.cluster.answer(shown.cluster.last<control::QueryLines>(), page);
        QCOMPARE(shown.log().shown(), events + 3);
        shown.console.shot("logs");
    }

    void log_filters_match_those_of_divisictl() {
        AlertsConsole shown("Logs");
        shown.console.find<QLineEdit>("logTask")->setText(QStringLiteral("gpt-text-1"));
        shown.console.find<QLineEdit>("logUnit")->setText(QStringLiteral("gpt-text-1/stage-0"));
        shown.console.find<QLineEdit>("logNode")->setText(QStringLiteral("mic-1/node-1"));
        shown.cluster.forget<control::QueryLines>();
        shown.cluster.forget<control::QueryLog>();
        auto* level = shown.console.find<QComboBox>("logLevel");
        level->setCurrentIndex(2);
        Q_EMIT level->activated(2);
        QVERIFY(!shown.cluster.all<control::QueryLines>().empty() && !shown.cluster.all<control::QueryLog>().empty());
        const control::QueryLines lines = shown.cluster.last<control::QueryLines>();
        QCOMPARE(lines.task, std::string("gpt-text-1"));
        QCOMPARE(lines.sid, std::string("gpt-text-1/stage-0"));
        QCOMPARE(lines.node, std::string("mic-1/node-1"));
        QCOMPARE(lines.level, Severity::warning);
        QCOMPARE(shown.cluster.last<control::QueryLog>().sid, std::string("gpt-text-1/stage-0"));
        QCOMPARE(shown.log().shown(), 0);  // no event matches
        // If only events are shown, no lines are requested.
        shown.cluster.forget<control::QueryLines>();
        QTest::mouseClick(shown.console.find<QCheckBox>("logEvents"), Qt::LeftButton);
        QVERIFY(shown.cluster.all<control::QueryLines>().empty());
    }

    void older_log_lines_are_loaded_on_request() {
        AlertsConsole shown("Logs");
        QTRY_VERIFY(!shown.cluster.all<control::QueryLines>().empty());
        control::LinesPage page;
        page.lines = {line(7, "seven"), line(8, "eight")};
        page.more = true;
        shown.cluster.answer(shown.cluster.last<control::QueryLines>(), page);
        auto* older = shown.console.find<QPushButton>("olderLines");
        QVERIFY(older->isEnabled());
        shown.cluster.forget<control::QueryLines>();
        QTest::mouseClick(older, Qt::LeftButton);
        QVERIFY(!shown.cluster.all<control::QueryLines>().empty());
        QCOMPARE(shown.cluster.last<control::QueryLines>().before, std::uint64_t{7});
    }

    void node_is_drained_from_the_menu_of_its_row() {
        AlertsConsole shown("Nodes");
        QMenu* menu = shown.menu_of("mic-1/node-1");
        QVERIFY(menu);
        QVERIFY(testing::Console::take(menu, QStringLiteral("Drain node")));
        QCOMPARE(shown.cluster.count<control::DrainNode>(), std::size_t{1});
        QCOMPARE(shown.cluster.last<control::DrainNode>().node, NodeId("mic-1/node-1"));
        QVERIFY(!shown.cluster.last<control::DrainNode>().undo);
        Q_EMIT shown.cluster.refused(QStringLiteral("it is the only node that takes instances"));
        QVERIFY(shown.console.find<QLabel>("messageText")->text().contains(QStringLiteral("the only node")));
        shown.cluster.tell(control::DrainChanged{NodeId("mic-1/node-1"), true, "me"});
        Q_EMIT shown.cluster.dataChanged();
        auto* tree = shown.console.find<QTreeWidget>("topologyTree");
        const auto found = tree->findItems(QStringLiteral("mic-1/node-1"), Qt::MatchExactly | Qt::MatchRecursive);
        QVERIFY2(found.front()->text(1).contains(QStringLiteral("draining, instances left: 1")),
                 qPrintable(found.front()->text(1)));
        shown.console.shot("drain");
        QTRY_VERIFY(!shown.console.window->findChild<QMenu*>(QStringLiteral("nodeMenu")));
        menu = shown.menu_of("mic-1/node-1");
        QVERIFY(menu);
        QVERIFY(testing::Console::take(menu, QStringLiteral("Take instances again")));
        QCOMPARE(shown.cluster.count<control::DrainNode>(), std::size_t{2});
        QVERIFY(shown.cluster.last<control::DrainNode>().undo);
    }

    void viewer_cannot_drain_a_node() {
        AlertsConsole shown("Nodes", control::Role::viewer);
        QMenu* menu = shown.menu_of("mic-1/node-1");
        QVERIFY(menu);
        auto* action = menu->findChild<QAction*>(QStringLiteral("drainNode"));
        QVERIFY(action && !action->isEnabled());
        QVERIFY2(action->text().contains(QStringLiteral("your role is not allowed")), qPrintable(action->text()));
    }
};

DIVISI_WINDOW_TEST(AlertsTest)

}  // namespace alerts_test

#include "alerts_test.moc"
