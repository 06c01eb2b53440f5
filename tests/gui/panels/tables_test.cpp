// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the features of every table in the window: copying rows, and a menu with the actions for a row.
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTreeWidget>

#include "app/panels/faults/log_table.h"
#include "app/panels/tables/row_table.h"
#include "app/panels/training/tasks_panel.h"
#include "backend/control/protocol/task_messages.h"
#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/headers.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace tables_test {

using namespace divisi;
using testing::Console;
using testing::ScriptedClient;

namespace {

QStringList copied() { return QApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts); }

/// Opens the menu of the first row with the right button; null if there is none.
QMenu* menu_of(Console& console, QTableView& table) {
    console.press_right(table.viewport(), table.visualRect(table.model()->index(0, 0)).center());
    return console.window->findChild<QMenu*>(QStringLiteral("tableMenu"));
}

/// Opens the menu of the current row with the keyboard; null if there is none.
QMenu* menu_by_key(Console& console, QTableView& table) {
    const auto shown = [&] { return console.window->findChild<QMenu*>(QStringLiteral("tableMenu")); };
    if (!QTest::qWaitFor([&] { return !shown(); }, 5000)) return nullptr;  // waits until the previous menu is gone
    QTest::keyClick(&table, Qt::Key_F10, Qt::ShiftModifier);
    return shown();
}

/// Returns the visible action with this text; null if there is none.
QAction* action_of(const QMenu& menu, const QString& text) {
    for (QAction* action : menu.actions())
        if (action->isVisible() && action->text() == text) return action;
    return nullptr;
}

/// A fixture with a cluster and a running task, with the Tasks view in front.
struct TaskConsole : testing::ConnectedConsole {
    QTableWidget& tasks = *console.find<QTableWidget>("taskTable");

    TaskConsole() : ConnectedConsole("Tasks") {}
    void submit(const char* name) {
        cluster.tell(control::TaskSubmitted{TaskId(name), "task", "", "", "", {}, "operator", 0});
        Q_EMIT cluster.dataChanged();
    }
    QStringList names() const { return testing::shown_column(tasks, 0); }
    void choose(const char* name) {
        tasks.setCurrentItem(tasks.findItems(QString::fromLatin1(name), Qt::MatchExactly).front());
    }
    void filter(const char* text) { testing::write_filter(*console.find<QLineEdit>("taskFilter"), text); }
};

}  // namespace

class TablesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void copy_key_copies_the_selected_rows() {
        TaskConsole shown;
        shown.tasks.setCurrentCell(0, 0);
        QTest::keyClick(&shown.tasks, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(copied().size(), 2);
        QVERIFY2(copied()[0].startsWith(QStringLiteral("Task\tState\tCycle")), qPrintable(copied()[0]));
        QVERIFY2(copied()[1].startsWith(QStringLiteral("gpt-text-1\t")), qPrintable(copied()[1]));
    }

    void without_a_selection_all_rows_are_copied_in_order() {
        Console console;
        console.show_chain({4, 9});
        auto* segments = console.find<QTableWidget>("segmentTable");
        segments->clearSelection();
        QTest::keyClick(segments, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(copied().size(), 4);
        QVERIFY2(copied()[0].startsWith(QStringLiteral("No.\tCut after\tWork")), qPrintable(copied()[0]));
        for (int row = 0; row < 3; ++row)
            QVERIFY2(copied()[row + 1].startsWith(QString::number(row + 1) + u'\t'), qPrintable(copied()[row + 1]));
    }

    void rows_of_a_tree_are_copied() {
        TaskConsole shown;
        shown.console.show_dock("Nodes");
        auto* tree = shown.console.find<QTreeWidget>("topologyTree");
        QTRY_COMPARE(tree->topLevelItemCount(), 2);
        tree->setCurrentItem(nullptr);
        QTest::keyClick(tree, Qt::Key_C, Qt::ControlModifier);
        QVERIFY2(copied()[0].startsWith(QStringLiteral("Name\tState")), qPrintable(copied()[0]));
        QVERIFY(copied().size() >= 3);  // at least both MICs
        tree->setCurrentItem(tree->topLevelItem(0)->child(0));
        QTest::keyClick(tree, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(copied().size(), 2);
        QVERIFY2(copied()[1].startsWith(QStringLiteral("mic-1/node-1\t")), qPrintable(copied()[1]));
    }

    void task_menu_copies_rows_and_stops_tasks() {
        TaskConsole shown;
        QApplication::clipboard()->setText(QStringLiteral("before"));
        QMenu* menu = menu_of(shown.console, shown.tasks);
        QVERIFY(menu);
        shown.console.shot("table-menu", menu);
        QCOMPARE(shown.tasks.currentRow(), 0);  // the clicked row is selected
        QVERIFY(Console::take(menu, QStringLiteral("&Copy rows")));
        QCOMPARE(copied().size(), 2);
        QTRY_VERIFY(!shown.console.window->findChild<QMenu*>(QStringLiteral("tableMenu")));
        menu = menu_of(shown.console, shown.tasks);
        QVERIFY(menu);
        QVERIFY(Console::take(menu, QStringLiteral("Stop")));
        QCOMPARE(shown.cluster.last<control::StopTask>().task, TaskId("gpt-text-1"));
    }

    void menu_opens_by_key() {
        TaskConsole shown;
        shown.tasks.setCurrentCell(0, 0);
        QContextMenuEvent key(QContextMenuEvent::Keyboard, QPoint(4, 4));
        QCoreApplication::sendEvent(&shown.tasks, &key);
        auto* menu = shown.console.window->findChild<QMenu*>(QStringLiteral("tableMenu"));
        QVERIFY(menu && menu->isVisible());
        menu->close();
    }

    void tasks_are_sorted_by_a_header_and_filtered_by_a_text() {
        TaskConsole shown;
        for (const auto& [id, loss] : {std::pair{"small-9", 1.0F}, {"large-10", 9.0F}}) {
            shown.cluster.tell(control::TaskSubmitted{TaskId(id), "task", "", "", "", {}, "operator", 0});
            shown.cluster.tell(control::StepDone{TaskId(id), {1, loss, 100, 160, 1}});
        }
        Q_EMIT shown.cluster.dataChanged();
        const auto names = [&] {
            QStringList shows;
            for (int row = 0; row < shown.tasks.rowCount(); ++row)
                if (!shown.tasks.isRowHidden(row)) shows << shown.tasks.item(row, 0)->text();
            return shows;
        };
        const QStringList newest = names();
        shown.tasks.selectRow(static_cast<int>(newest.indexOf(QStringLiteral("small-9"))));
        constexpr int loss = 5;
        QHeaderView* header = shown.tasks.horizontalHeader();
        const auto press = [&] {
            const QPoint at(header->sectionViewportPosition(loss) + header->sectionSize(loss) / 2,
                            header->height() / 2);
            QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, at);
        };
        press();
        QCOMPARE(names(),
                 (QStringList{QStringLiteral("small-9"), QStringLiteral("gpt-text-1"), QStringLiteral("large-10")}));
        // the row stays selected
        QCOMPARE(shown.tasks.item(shown.tasks.currentRow(), 0)->text(), QStringLiteral("small-9"));
        press();
        QCOMPARE(names().front(), QStringLiteral("large-10"));
        Q_EMIT shown.cluster.dataChanged();
        QCOMPARE(names().front(), QStringLiteral("large-10"));
        press();
        QCOMPARE(names(), newest);
        auto* filter = shown.console.find<QLineEdit>("taskFilter");
        filter->setFocus();
        QTest::keyClicks(filter, QStringLiteral("GPT"));
        QCOMPARE(names(), QStringList{QStringLiteral("gpt-text-1")});
        Q_EMIT shown.cluster.dataChanged();
        QCOMPARE(names(), QStringList{QStringLiteral("gpt-text-1")});
        shown.console.shot("tasks-filtered");
        filter->clear();
        QCOMPARE(names(), newest);
    }

    void a_hidden_task_is_not_stopped() {
        TaskConsole shown;
        shown.submit("other-1");
        shown.choose("gpt-text-1");
        QVERIFY(shown.console.action("stop")->isEnabled());
        shown.filter("gpt");
        QCOMPARE(shown.tasks.item(shown.tasks.currentRow(), 0)->text(), QStringLiteral("gpt-text-1"));
        shown.filter("other");
        QCOMPARE(shown.tasks.currentRow(), -1);
        QVERIFY(!shown.console.action("stop")->isEnabled());
        QVERIFY(!shown.console.find<QPushButton>("stopTask")->isEnabled());
        shown.console.window->findChild<panels::TasksPanel*>()->stopCurrent();
        QCOMPARE(shown.cluster.count<control::StopTask>(), std::size_t(0));
    }

    void task_selected_from_elsewhere_is_shown_despite_the_filter() {
        TaskConsole shown;
        shown.filter("no such text");
        QVERIFY(shown.names().isEmpty());
        shown.console.window->findChild<panels::TasksPanel*>()->select(TaskId("gpt-text-1"));
        QCOMPARE(shown.names(), QStringList{QStringLiteral("gpt-text-1")});
        QCOMPARE(shown.tasks.currentRow(), 0);
    }

    void rows_filtered_out_are_not_copied() {
        TaskConsole shown;
        shown.submit("other-1");
        shown.filter("10 OF 100");  // the text of the progress bar is searched, too
        QCOMPARE(shown.names(), QStringList{QStringLiteral("gpt-text-1")});
        shown.tasks.setCurrentIndex({});
        QTest::keyClick(&shown.tasks, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(copied().size(), 2);
        QVERIFY2(copied()[1].startsWith(QStringLiteral("gpt-text-1\t")), qPrintable(copied()[1]));
        QVERIFY2(copied()[1].contains(QStringLiteral("\t10 of 100 steps\t")), qPrintable(copied()[1]));
    }

    void tasks_without_a_value_sort_last_and_names_sort_numerically() {
        TaskConsole shown;
        for (const char* name : {"task-2", "task-10"}) shown.submit(name);
        const QStringList newest = shown.names();
        constexpr int name = 0, loss = 5;
        testing::press_header(shown.tasks, loss);
        QCOMPARE(shown.names().front(), QStringLiteral("gpt-text-1"));
        testing::press_header(shown.tasks, name);
        QCOMPARE(shown.names(),
                 (QStringList{QStringLiteral("gpt-text-1"), QStringLiteral("task-2"), QStringLiteral("task-10")}));
        for (int i = 0; i < 2; ++i) testing::press_header(shown.tasks, name);
        QCOMPARE(shown.names(), newest);
    }

    void table_is_sorted_by_key() {
        TaskConsole shown;
        for (const char* name : {"task-2", "task-10"}) shown.submit(name);
        const QStringList newest = shown.names(),
                          by_name{QStringLiteral("gpt-text-1"), QStringLiteral("task-2"), QStringLiteral("task-10")};
        const auto sort_by = [&](const QString& column) {
            QMenu* menu = menu_by_key(shown.console, shown.tasks);
            const auto* sorting = menu ? menu->findChild<QMenu*>(QStringLiteral("sortMenu")) : nullptr;
            QAction* action = sorting ? action_of(*sorting, column) : nullptr;
            if (action) action->trigger();
            if (menu) menu->close();
            return action != nullptr;
        };
        QVERIFY(sort_by(QStringLiteral("Task")));
        QCOMPARE(shown.names(), by_name);
        QVERIFY(sort_by(QStringLiteral("Task \u2191")));  // in reverse order
        QCOMPARE(shown.names(), (QStringList{by_name[2], by_name[1], by_name[0]}));
        QVERIFY(sort_by(QStringLiteral("Original order")));
        QCOMPARE(shown.names(), newest);
    }

    void silent_task_is_marked() {
        TaskConsole shown;
        constexpr int state = 1, reported = 8;
        const auto text = [&](int column) { return shown.tasks.item(0, column)->text(); };
        const InstanceId instance("gpt-text-1/stage-0/0");
        const control::InstanceLoad load = shown.cluster.cluster.loads.at(instance).back().load;
        shown.cluster.report(load);
        Q_EMIT shown.cluster.dataChanged();
        QVERIFY2(!text(state).contains(QStringLiteral("silent")), qPrintable(text(state)));
        for (client::LoadSample& sample : shown.cluster.cluster.loads.at(instance))
            sample.time -= std::chrono::seconds(90);
        Q_EMIT shown.cluster.dataChanged();
        QVERIFY2(text(state).contains(QStringLiteral("silent")), qPrintable(text(state)));
        QVERIFY2(text(reported).contains(QStringLiteral("1 min ago")), qPrintable(text(reported)));
        shown.console.shot("task-silent");
        shown.cluster.report(load);
        Q_EMIT shown.cluster.dataChanged();
        QVERIFY2(!text(state).contains(QStringLiteral("silent")), qPrintable(text(state)));
    }

    void rows_of_a_hidden_table_are_not_updated() {
        TaskConsole shown;
        const TaskId task("gpt-text-1");
        const auto progress = [&] { return shown.tasks.item(0, 3)->data(Qt::AccessibleTextRole).toString(); };
        QVERIFY2(progress().startsWith(QStringLiteral("10 of")), qPrintable(progress()));
        shown.console.action("workspace_mesh")->trigger();
        QTRY_VERIFY(!shown.tasks.isVisible());
        QSignalSpy changed(shown.tasks.model(), &QAbstractItemModel::dataChanged);
        shown.cluster.tell(control::StepDone{task, {11, 3.0F, 100, 160, 1}});
        Q_EMIT shown.cluster.dataChanged();
        QCOMPARE(changed.count(), 0);
        shown.submit("other-1");  // a new task gets a row even while the table is hidden
        QCOMPARE(shown.tasks.rowCount(), 2);
        shown.cluster.tell(control::StepDone{task, {12, 3.0F, 100, 160, 1}});
        Q_EMIT shown.cluster.dataChanged();
        shown.console.show_dock("Tasks");
        shown.filter("12 of 100");
        QCOMPARE(shown.names(), QStringList{QStringLiteral("gpt-text-1")});
    }

    void row_menu_offers_the_actions_of_the_view_data() {
        QTest::addColumn<QString>("dock");
        QTest::addColumn<QString>("table");
        QTest::addColumn<QStringList>("offers");
        const auto add = [](const char* dock, const char* table, const QStringList& offers) {
            QTest::newRow(table) << QString::fromLatin1(dock) << QString::fromLatin1(table) << offers;
        };
        const QString export_it = QStringLiteral("Export\u2026");
        add("Tasks", "taskTable", {QStringLiteral("Stop")});
        add("Exceptions", "exceptionTable",
            {QStringLiteral("Retry"), QStringLiteral("Edit and resubmit\u2026"), QStringLiteral("Drop")});
        add("Alerts", "alertTable", {QStringLiteral("Show the subject")});
        add("Logs", "logTable", {QStringLiteral("Older")});
        add("Recoveries", "incidentTable", {});
        add("State stores", "storeTable", {export_it, QStringLiteral("List again")});
        add("Leases", "leaseTable", {});
        add("Leases", "receiptTable", {QStringLiteral("Verify"), QStringLiteral("Export CSV\u2026")});
        add("Policies", "policyVersions", {QStringLiteral("Roll back")});
        add("Plans", "planTable", {QStringLiteral("Restore its cuts"), QStringLiteral("Keep plan")});
        add("Services", "serviceTable", {});
        add("Signaling", "signalTable", {});
    }

    void row_menu_offers_the_actions_of_the_view() {
        QFETCH(QString, dock);
        QFETCH(QString, table);
        QFETCH(QStringList, offers);
        TaskConsole shown;
        shown.console.show_chain();
        shown.console.show_dock(dock.toLatin1().constData());
        auto& rows = *shown.console.find<QTableView>(table.toLatin1().constData());
        QMenu* menu = menu_by_key(shown.console, rows);
        QVERIFY(menu);
        for (const QString& offer : offers) QVERIFY2(action_of(*menu, offer), qPrintable(offer));
        const auto* sorting = menu->findChild<QMenu*>(QStringLiteral("sortMenu"));
        QVERIFY(sorting && sorting->actions().size() > 2);
        QVERIFY(action_of(*menu, QStringLiteral("Copy &all rows")));
        menu->close();
    }

    void row_menu_shows_the_subject_of_the_row() {
        TaskConsole shown;
        shown.console.show_dock("Recoveries");
        const InstanceId instance("gpt-text-1/stage-0/0");
        shown.cluster.tell(control::InstanceChanged{instance, control::InstanceState::failed, "killed by signal 9"});
        shown.cluster.tell(control::TaskRecovers{TaskId("gpt-text-1"), 2, 8, instance, "killed by signal 9"});
        Q_EMIT shown.cluster.dataChanged();
        shown.console.find<QAbstractButton>("allIncidents")->setChecked(true);
        auto& rows = *shown.console.find<QTableView>("incidentTable");
        QTRY_COMPARE(rows.model()->rowCount(), 1);
        rows.selectRow(0);
        QMenu* menu = menu_by_key(shown.console, rows);
        QVERIFY(menu);
        const QList<QMenu*> ways = menu->findChildren<QMenu*>(QStringLiteral("showMenu"));
        QVERIFY(!ways.isEmpty());
        QCOMPARE(ways.front()->title(), QStringLiteral("Show gpt-text-1/stage-0/0 in"));
        QAction* there = action_of(*ways.front(), QStringLiteral("Topology"));
        QVERIFY(there);
        there->trigger();
        menu->close();
        QVERIFY(shown.console.window->context().selection.current().kind == model::Selected::Kind::instance);
        QVERIFY(shown.console.find<topology::TopologyPage>("topologyPage")->isVisible());
    }

    void row_menu_moves_the_time_cursor_to_the_row() {
        TaskConsole shown;  // its events are from 1970
        shown.console.show_dock("Logs");
        auto& log = *shown.console.find<panels::RowTable>("logTable");
        QTRY_VERIFY(log.shown() > 0);
        const auto moment_of = [&](int row) {
            log.setCurrentIndex(log.model()->index(row, 0));
            const QMenu* menu = menu_by_key(shown.console, log);
            return menu ? menu->findChild<QAction*>(QStringLiteral("goToMoment")) : nullptr;
        };
        QAction* go = moment_of(0);
        QVERIFY(go && !go->isEnabled());
        QVERIFY2(go->toolTip().contains(QStringLiteral("this moment is earlier")), qPrintable(go->toolTip()));
        shown.console.find<QMenu>("tableMenu")->close();
        const model::TimeCursor& cursor = shown.console.window->context().cursor;
        shown.cluster.now = cursor.now();
        shown.cluster.tell(control::Noted{Severity::warning, "node mic-1/node-1", "", "of now"});
        Q_EMIT shown.cluster.dataChanged();
        const int last = log.shown() - 1;
        QVERIFY2(log.text(last, panels::LogTable::what).contains(QStringLiteral("of now")),
                 qPrintable(log.text(last, panels::LogTable::what)));
        go = moment_of(last);
        QVERIFY(go && go->isEnabled());
        go->trigger();
        shown.console.find<QMenu>("tableMenu")->close();
        QVERIFY(!cursor.live());
        QVERIFY(cursor.at() == shown.cluster.now);
    }

    void nodes_are_sorted_by_a_header_and_filtered_by_a_text() {
        TaskConsole shown;
        const TaskId task("gpt-text-1");
        for (const auto& [name, busy] : {std::pair{"gpt-text-1/stage-1/0", 0.09}, {"gpt-text-1/stage-2/0", 0.1}}) {
            shown.cluster.tell(control::InstancePlaced{task, InstanceId(name), Sid(name), NodeId("mic-1/node-1"), 0});
            control::InstanceLoad load;
            load.instance = InstanceId(name);
            load.busy_share = busy;
            shown.cluster.report(load);
        }
        shown.console.show_dock("Nodes");
        auto& tree = *shown.console.find<QTreeWidget>("topologyTree");
        QTRY_COMPARE(tree.topLevelItemCount(), 2);
        Q_EMIT shown.cluster.dataChanged();
        QTreeWidgetItem* node = tree.topLevelItem(0)->child(0);
        QCOMPARE(node->childCount(), 3);
        const auto busy = [&] {
            QStringList texts;
            for (int i = 0; i < node->childCount(); ++i) texts << node->child(i)->text(0).section(u'-', 3, 3).left(1);
            return texts.join(u' ');
        };
        QCOMPARE(busy(), QStringLiteral("0 1 2"));
        tree.setCurrentItem(node->child(0));
        constexpr int column = 2;
        testing::press_header(tree, column);
        QCOMPARE(busy(), QStringLiteral("1 2 0"));  // the values are 9 %, 10 % and 70 %
        QCOMPARE(tree.currentItem(), node->child(2));
        testing::press_header(tree, column);
        QCOMPARE(busy(), QStringLiteral("0 2 1"));
        Q_EMIT shown.cluster.dataChanged();
        QCOMPARE(busy(), QStringLiteral("0 2 1"));
        shown.console.shot("nodes-sorted");
        auto& filter = *shown.console.find<QLineEdit>("nodeFilter");
        testing::write_filter(filter, "STAGE-2");
        const auto is_shown = [](QTreeWidgetItem* item) { return !item->isHidden(); };
        QVERIFY(is_shown(tree.topLevelItem(0)) && is_shown(node) && !is_shown(tree.topLevelItem(1)));
        QVERIFY(!is_shown(node->child(0)) && is_shown(node->child(1)) && !is_shown(node->child(2)));
        Q_EMIT shown.cluster.dataChanged();
        QVERIFY(!is_shown(node->child(0)) && is_shown(node->child(1)));
        testing::write_filter(filter, "mic-2");  // matches the MIC and everything below it
        QVERIFY(!is_shown(tree.topLevelItem(0)) && is_shown(tree.topLevelItem(1)));
        QVERIFY(is_shown(tree.topLevelItem(1)->child(0)));
        filter.clear();
        QVERIFY(is_shown(tree.topLevelItem(0)) && is_shown(node->child(0)));
    }

    void filters_of_a_workspace_are_aligned() {
        TaskConsole shown;
        shown.console.show_dock("Recoveries");
        const auto left = [&](const char* filter) {
            auto* field = shown.console.find<QLineEdit>(filter);
            return field->isVisible() ? field->mapTo(shown.console.window.get(), QPoint()).x() : -1;
        };
        int first = -1;
        QTRY_VERIFY((first = left("incidentFilter")) >= 0);
        for (const auto& [view, filter] :
             {std::pair{"Exceptions", "exceptionFilter"}, {"Alerts", "alertFilter"}, {"Logs", "logFilter"}}) {
            shown.console.show_dock(view);
            QTRY_COMPARE(left(filter), first);
        }
        shown.console.shot("faults-filters");
    }

    void denied_actions_are_disabled_in_row_menus() {
        TaskConsole shown;
        shown.cluster.state.role = control::Role::viewer;
        Q_EMIT shown.cluster.statusChanged();
        QMenu* menu = menu_of(shown.console, shown.tasks);
        QVERIFY(menu);
        bool found = false;
        for (const QAction* action : menu->actions()) {
            if (action->text() != QStringLiteral("Stop")) continue;
            found = true;
            QVERIFY(!action->isEnabled());
            QVERIFY2(action->toolTip().contains(QStringLiteral("is read-only")), qPrintable(action->toolTip()));
        }
        QVERIFY(found);
        menu->close();
    }

    void an_exception_is_dropped_from_its_menu() {
        TaskConsole shown;
        const TaskId task("broken-1");
        const Error error{ErrorCode::failed, "killed by signal 9", "broken-1/stage-1/0", "try it again"};
        shown.cluster.tell(control::TaskSubmitted{task, "broken", "", "/", "", {}, "operator", 0});
        shown.cluster.tell(control::TaskEnded{task, control::Outcome::failed, error});
        control::ExceptionEntry entry;
        entry.number = shown.cluster.cluster.state.sequence + 1;
        entry.task = task;
        entry.error = error;
        shown.cluster.tell(control::ExceptionRaised{entry});
        Q_EMIT shown.cluster.dataChanged();
        shown.console.show_dock("Exceptions");
        auto& table = *shown.console.find<QTableWidget>("exceptionTable");
        QTRY_COMPARE(table.rowCount(), 1);
        QMenu* menu = menu_of(shown.console, table);
        QVERIFY(menu);
        QVERIFY(Console::take(menu, shown.console.find<QPushButton>("dropException")->text()));
        QVERIFY(shown.cluster.last<control::DropException>().number == entry.number);
    }
};

DIVISI_WINDOW_TEST(TablesTest)

}  // namespace tables_test

#include "tables_test.moc"
