// SPDX-License-Identifier: GPL-3.0-or-later
// What every table of the window does: rows are copied, and what can be done to one stands in its menu.
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QTableWidget>
#include <QTreeWidget>

#include "tests/gui/console.h"
#include "tests/gui/headers.h"
#include "tests/gui/scripted_client.h"

using namespace divisi;
using testing::Console;
using testing::ScriptedClient;

namespace {

QStringList copied() { return QApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts); }

/// Of the first row, with the right button; null where none comes.
QMenu* menu_of(Console& console, QTableView& table) {
    console.press_right(table.viewport(), table.visualRect(table.model()->index(0, 0)).center());
    return console.window->findChild<QMenu*>(QStringLiteral("tableMenu"));
}

/// A cluster with a running task, in front.
struct TaskConsole {
    ScriptedClient cluster;
    Console console{&cluster};
    QTableWidget& tasks = *console.find<QTableWidget>("taskTable");

    TaskConsole() {
        cluster.connect_to(QStringLiteral("lab"));
        cluster.play();
        console.show_dock("Tasks");
    }
};

}  // namespace

class TablesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void a_key_copies_the_chosen_rows() {
        TaskConsole shown;
        shown.tasks.setCurrentCell(0, 0);
        QTest::keyClick(&shown.tasks, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(copied().size(), 2);
        QVERIFY2(copied()[0].startsWith(QStringLiteral("Task\tState\tCycle")), qPrintable(copied()[0]));
        QVERIFY2(copied()[1].startsWith(QStringLiteral("gpt-text-1\t")), qPrintable(copied()[1]));
    }

    void without_a_chosen_row_all_are_copied_as_they_stand() {
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

    void a_tree_copies_its_rows_too() {
        TaskConsole shown;
        shown.console.show_dock("Nodes");
        auto* tree = shown.console.find<QTreeWidget>("topologyTree");
        QTRY_COMPARE(tree->topLevelItemCount(), 2);
        tree->setCurrentItem(nullptr);
        QTest::keyClick(tree, Qt::Key_C, Qt::ControlModifier);
        QVERIFY2(copied()[0].startsWith(QStringLiteral("Name\tState")), qPrintable(copied()[0]));
        QVERIFY(copied().size() >= 3);  // both MICs at least
        tree->setCurrentItem(tree->topLevelItem(0)->child(0));
        QTest::keyClick(tree, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(copied().size(), 2);
        QVERIFY2(copied()[1].startsWith(QStringLiteral("mic-1/node-1\t")), qPrintable(copied()[1]));
    }

    void the_menu_copies_and_stops() {
        TaskConsole shown;
        QApplication::clipboard()->setText(QStringLiteral("before"));
        QMenu* menu = menu_of(shown.console, shown.tasks);
        QVERIFY(menu);
        shown.console.shot("table-menu", menu);
        QCOMPARE(shown.tasks.currentRow(), 0);  // what is pressed is chosen
        QVERIFY(Console::take(menu, QStringLiteral("&Copy rows")));
        QCOMPARE(copied().size(), 2);
        QTRY_VERIFY(!shown.console.window->findChild<QMenu*>(QStringLiteral("tableMenu")));
        menu = menu_of(shown.console, shown.tasks);
        QVERIFY(menu);
        QVERIFY(Console::take(menu, QStringLiteral("Stop")));
        QCOMPARE(shown.cluster.stopped, TaskId("gpt-text-1"));
    }

    void the_menu_comes_by_key_too() {
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
        QCOMPARE(shown.tasks.item(shown.tasks.currentRow(), 0)->text(), QStringLiteral("small-9"));  // it stays chosen
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
        QCOMPARE(busy(), QStringLiteral("1 2 0"));  // 9 %, 10 %, 70 %
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
        testing::write_filter(filter, "mic-2");  // with all below it
        QVERIFY(!is_shown(tree.topLevelItem(0)) && is_shown(tree.topLevelItem(1)));
        QVERIFY(is_shown(tree.topLevelItem(1)->child(0)));
        filter.clear();
        QVERIFY(is_shown(tree.topLevelItem(0)) && is_shown(node->child(0)));
    }

    void filters_of_a_workspace_begin_below_each_other() {
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

    void what_may_not_be_done_is_grey_there_too() {
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
            QVERIFY2(action->toolTip().contains(QStringLiteral("may only watch")), qPrintable(action->toolTip()));
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
        QVERIFY(shown.cluster.exception_dropped == entry.number);
    }
};

QTEST_MAIN(TablesTest)
#include "tables_test.moc"
