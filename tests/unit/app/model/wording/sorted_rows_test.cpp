// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/sorted_rows.h"

#include <QStandardItemModel>
#include <limits>

#include "tests/support/test_program.h"

namespace sorted_rows_test {

using namespace divisi;
using model::SortedRows;

namespace {

QStringList texts(const SortedRows& rows) {
    QStringList texts;
    for (int row = 0; row < rows.rowCount(); ++row) texts << rows.index(row, 0).data().toString();
    return texts;
}

QStandardItem* item(const char* text, const QVariant& key = {}) {
    auto* made = new QStandardItem(QString::fromLatin1(text));
    if (key.isValid()) made->setData(key, SortedRows::key_role);
    return made;
}

QStringList names(std::initializer_list<const char*> list) {
    QStringList names;
    for (const char* name : list) names << QString::fromLatin1(name);
    return names;
}

}  // namespace

class SortedRowsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sort_order_is_numbers_then_texts_then_empty() {
        const QVariant ascending[] = {-1.5,
                                      9,
                                      QVariant::fromValue<qlonglong>(10),
                                      QStringLiteral("mic-1"),
                                      QStringLiteral("MIC-2"),
                                      QStringLiteral("mic-10"),
                                      QStringLiteral("mic-10/node-1"),
                                      QVariant()};
        for (std::size_t i = 0; i < std::size(ascending); ++i)
            for (std::size_t j = 0; j < std::size(ascending); ++j)
                QCOMPARE(model::sorts_before(ascending[i], ascending[j]), i < j);
        QVERIFY(!model::sorts_before(QStringLiteral("sr-01"), QStringLiteral("sr-1")));
        QVERIFY(!model::sorts_before(QStringLiteral("sr-1"), QStringLiteral("sr-01")));
    }

    void non_numbers_sort_with_empty_cells() {
        const QVariant broken = std::numeric_limits<double>::quiet_NaN();
        QVERIFY(model::sorts_before(QStringLiteral("text"), broken) && model::sorts_before(1.0, broken));
        QVERIFY(!model::sorts_before(broken, 1.0) && !model::sorts_before(broken, QStringLiteral("text")));
        QVERIFY(!model::sorts_before(broken, QVariant()) && !model::sorts_before(QVariant(), broken));
    }

    void sort_key_takes_precedence_over_the_cell_text() {
        QStandardItemModel source;
        for (QStandardItem* one : {item("9 s ago", 9), item("1 min ago", 60), item("10 s ago", 10)})
            source.appendRow(one);
        SortedRows rows(source);
        QVERIFY(!rows.is_sorted());
        QCOMPARE(texts(rows), names({"9 s ago", "1 min ago", "10 s ago"}));
        rows.sort(0);
        QVERIFY(rows.is_sorted());
        QCOMPARE(texts(rows), names({"9 s ago", "10 s ago", "1 min ago"}));
        QCOMPARE(rows.row_of(1), 2);
        QCOMPARE(rows.source_row(rows.index(1, 0)), 2);
        rows.sort(-1);
        QCOMPARE(texts(rows), names({"9 s ago", "1 min ago", "10 s ago"}));
    }

    void new_rows_are_sorted_and_filtered() {
        QStandardItemModel source;
        for (const char* name : {"node-10", "other", "node-2"}) source.appendRow(item(name));
        SortedRows rows(source);
        rows.sort(0);
        source.appendRow(item("Node-3"));
        QCOMPARE(texts(rows), names({"node-2", "Node-3", "node-10", "other"}));
        rows.setFilterFixedString(QStringLiteral("NODE"));
        QCOMPARE(texts(rows), names({"node-2", "Node-3", "node-10"}));
        QCOMPARE(rows.row_of(1), -1);
    }
};

DIVISI_TEST(SortedRowsTest)

}  // namespace sorted_rows_test

#include "sorted_rows_test.moc"
