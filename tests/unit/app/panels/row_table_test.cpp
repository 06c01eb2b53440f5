// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/tables/row_table.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QSignalSpy>

#include "app/panels/faults/log_table.h"
#include "tests/support/test_program.h"

namespace row_table_test {

using namespace divisi;
using panels::LogTable;
using panels::RowCell;
using panels::RowModel;
using panels::RowTable;
using panels::TableRow;

namespace {

TableRow row(int number, const char* name) {
    return {QString::number(number), {{QString::number(number), number}, {QString::fromLatin1(name)}}};
}

control::LogLine line(std::uint64_t number, int seconds, const char* text) {
    control::LogLine one;
    one.number = number;
    one.time = TimePoint(std::chrono::seconds(seconds));
    one.text = text;
    return one;
}

control::Event noted(std::uint64_t sequence, int seconds, Severity severity, const char* task, const char* text) {
    return {sequence, TimePoint(std::chrono::seconds(seconds)), control::Noted{severity, "node mic-1/a", task, text}};
}

QStringList texts(const LogTable& table) {
    QStringList all;
    for (int i = 0; i < table.rowCount(); ++i) all << table.index(i, LogTable::what).data().toString();
    return all;
}

}  // namespace

class RowTableTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void unchanged_rows_are_kept() {
        RowModel model(2);
        model.set_rows({row(1, "a"), row(2, "b"), row(3, "c")});
        const QPersistentModelIndex third = model.index(2, 0);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        model.set_rows({row(1, "a"), row(2, "B"), row(9, "new"), row(3, "c")});
        QCOMPARE(model.rowCount(), 4);
        QVERIFY(third.isValid());
        QCOMPARE(third.row(), 3);
        QCOMPARE(changed.size(), 1);
        QVERIFY(reset.isEmpty());
        model.set_rows({row(9, "new"), row(3, "c")});
        QCOMPARE(third.row(), 1);
        model.set_rows({});
        QVERIFY(!third.isValid());
    }

    void rows_are_sorted_filtered_and_copied() {
        RowModel model(2);
        RowTable table("rows", model, nullptr);
        model.set_header({QStringLiteral("Number"), QStringLiteral("Name")});
        model.set_rows({row(10, "ten"), row(9, "nine"), row(2, "two\tand\nmore")});
        QCOMPARE(table.text(0, 0), QStringLiteral("10"));  // in the original order
        table.sortByColumn(0, Qt::AscendingOrder);
        QCOMPARE(table.text(0, 0), QStringLiteral("2"));
        QCOMPARE(table.text(2, 0), QStringLiteral("10"));
        table.set_filter(QStringLiteral(" NINE "));
        QCOMPARE(table.shown(), 1);
        table.set_filter({});
        QCOMPARE(table.as_tsv(), QStringLiteral("Number\tName\n2\ttwo and more\n9\tnine\n10\tten\n"));
        QVERIFY(table.choose(QStringLiteral("9")));
        QVERIFY(!table.choose(QStringLiteral("7")));
        QCOMPARE(table.current(), QStringLiteral("9"));
        model.set_rows({row(1, "one"), row(10, "ten"), row(9, "nine")});
        QCOMPARE(table.current(), QStringLiteral("9"));
        QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("Number\tName\n9\tnine\n"));
    }

    void third_click_restores_the_order_and_numbers_sort_by_value() {
        RowModel model(2);
        RowTable table("rows", model, nullptr);
        model.set_rows({row(1, "mic-10"), row(2, "mic-2"), row(3, "z")});
        const auto names = [&] { return QStringList{table.text(0, 1), table.text(1, 1)}; };
        const QStringList come{QStringLiteral("mic-10"), QStringLiteral("mic-2")};
        QVERIFY(table.horizontalHeader()->isSortIndicatorClearable());
        table.horizontalHeader()->setSortIndicator(1, Qt::AscendingOrder);
        QCOMPARE(names(), (QStringList{come[1], come[0]}));
        table.horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
        QCOMPARE(names(), come);
    }

    void removed_current_row_leaves_no_current_row() {
        RowModel model(2);
        RowTable table("rows", model, nullptr);
        model.set_rows({row(1, "a"), row(2, "b"), row(3, "c")});
        QVERIFY(table.choose(QStringLiteral("2")));
        table.set_filter(QStringLiteral("c"));
        QCOMPARE(table.current(), QString());
        table.set_filter({});
        QCOMPARE(table.current(), QString());
        QVERIFY(table.choose(QStringLiteral("2")));
        model.set_rows({row(1, "a"), row(3, "c")});
        QCOMPARE(table.current(), QString());
        QVERIFY(!table.selectionModel()->hasSelection());
    }

    void row_has_a_time_and_subjects() {
        RowModel model(1);
        TableRow one = row(1, "a");
        one.time = TimePoint(std::chrono::seconds(7));
        one.about = divisi::model::things_of({}, NodeId("mic-1/a"), TaskId("gpt-1"));
        model.set_rows({one, row(2, "b")});
        QCOMPARE(model.index(0, 0).data(divisi::model::time_role).toLongLong(), qlonglong{7'000'000'000});
        const auto about =
            model.index(0, 0).data(divisi::model::about_role).value<std::vector<divisi::model::Selected>>();
        QCOMPARE(about.size(), std::size_t{2});
        QVERIFY(about[0] == divisi::model::Selected::of_node(NodeId("mic-1/a")));
        QVERIFY(about[1] == divisi::model::Selected::of_task(TaskId("gpt-1")));
        QVERIFY(!model.index(1, 0).data(divisi::model::time_role).isValid());
        LogTable log;
        log.add(line(5, 20, "of a process"));
        QCOMPARE(log.index(0, 0).data(divisi::model::time_role).toLongLong(), qlonglong{20'000'000'000});
    }

    void log_is_ordered_by_time_without_duplicates() {
        LogTable table;
        table.add(noted(1, 10, Severity::info, "", "first"));
        table.add(noted(2, 30, Severity::info, "", "third"));
        for (int i = 0; i < 2; ++i) table.add(line(5, 20, "second"));
        table.add(noted(2, 30, Severity::info, "", "third"));
        QCOMPARE(texts(table).size(), 3);
        QVERIFY(texts(table)[0].endsWith(QStringLiteral("first")));
        QCOMPARE(texts(table)[1], QStringLiteral("second"));
        QCOMPARE(table.oldest_event(), std::uint64_t{1});
        QCOMPARE(table.oldest_line(), std::uint64_t{5});
    }

    void filter_limits_events_as_the_cluster_does() {
        panels::LogFilter filter;
        filter.task = "gpt-1";
        filter.level = Severity::warning;
        filter.since = TimePoint(std::chrono::seconds(20));
        QVERIFY(filter.wants(noted(1, 30, Severity::error, "gpt-1", "x")));
        QVERIFY(!filter.wants(noted(1, 30, Severity::error, "gpt-2", "x")));
        QVERIFY(!filter.wants(noted(1, 30, Severity::info, "gpt-1", "x")));
        QVERIFY(!filter.wants(noted(1, 10, Severity::error, "gpt-1", "x")));
        filter = {};
        filter.node = "mic-1/a";
        QVERIFY(filter.wants(noted(1, 30, Severity::info, "", "x")));
        filter.node = "mic-1/b";
        QVERIFY(!filter.wants(noted(1, 30, Severity::info, "", "x")));
        filter.events_only = true;
        LogTable table;
        table.set_filter(filter);
        table.add(line(1, 10, "not wanted"));
        QCOMPARE(table.rowCount(), 0);
        const control::QueryLines question = filter.lines_question("text", 7);
        QCOMPARE(question.node, std::string("mic-1/b"));
        QCOMPARE(question.contains, std::string("text"));
        QCOMPARE(question.before, std::uint64_t{7});
    }

    void oldest_rows_are_dropped_beyond_the_limit() {
        LogTable table;
        for (std::uint64_t i = 1; i <= LogTable::most_rows + 10; ++i) table.add(line(i, static_cast<int>(i), "x"));
        QCOMPARE(table.rowCount(), static_cast<int>(LogTable::most_rows));
        QVERIFY(table.full());
        table.add(line(LogTable::most_rows + 99, 0, "too old"));
        QCOMPARE(table.rowCount(), static_cast<int>(LogTable::most_rows));
        QCOMPARE(texts(table)[0], QStringLiteral("x"));
    }
};

DIVISI_WINDOW_TEST(RowTableTest)

}  // namespace row_table_test

#include "row_table_test.moc"
