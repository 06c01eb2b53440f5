// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the console's state stores with a scripted client.
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QPushButton>

#include "app/panels/tables/row_table.h"
#include "backend/control/types/store_types.h"
#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace stores_test {

using namespace divisi;
using panels::RowTable;
using testing::ScriptedClient;

namespace {

control::StoreView listed_store(const char* sid, std::int64_t step) {
    control::StoreView one;
    one.sid = Sid(sid);
    one.file = QString::fromLatin1(sid).replace(u'/', u'.').toStdString() + ".sqlite";
    one.incarnation = 1;
    one.generation = 2;
    one.step = step;
    one.size = 64 << 10;
    one.written = TimePoint(std::chrono::hours(24 * 365 * 50));
    return one;
}

/// Returns rows for steps, newest first, as nodes answer.
control::StorePage steps(std::int64_t newest, std::int64_t count, std::int64_t before) {
    control::StorePage page;
    page.incarnation = 1;
    page.columns = {"generation", "step", "loss"};
    for (std::int64_t step = newest; step > newest - count; --step)
        page.rows.push_back({{control::StoreCell{1}, control::StoreCell{step},
                              control::StoreCell{{}, 4.0 - 0.25 * static_cast<double>(step)}}});
    page.before = before;
    return page;
}

/// A fixture with a console that shows the stores of two nodes.
struct StoresConsole : testing::ConnectedConsole {
    RowTable& table = *console.find<RowTable>("storeTable");
    RowTable& rows = *console.find<RowTable>("storeRows");
    QComboBox& role = *console.find<QComboBox>("storeRole");
    QLabel& empty = *console.find<QLabel>("storeEmpty");
    QLabel& notice = *console.find<QLabel>("storeNotice");
    QLabel& title = *console.find<QLabel>("storeTitle");

    StoresConsole() : ConnectedConsole("State stores") {}
    /// Answers the last question; returns false if there is none.
    bool answer_list(std::vector<control::StoreView> stores, bool more = false) {
        if (!QTest::qWaitFor([&] { return !cluster.all<control::ListStores>().empty(); }, 5000)) return false;
        const control::ListStores question = cluster.last<control::ListStores>();
        cluster.forget<control::ListStores>();
        control::StoreList list;
        list.stores = std::move(stores);
        list.more = more;
        cluster.answer(question, list);
        return true;
    }
    bool list() {
        return answer_list({listed_store("gpt-text-1/stage-0/0", 12)}) &&
               answer_list({listed_store("gpt-text-1/stage-1/0", 9)});
    }
    void choose(int row) {
        QCoreApplication::processEvents();  // lets the rows be laid out
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                          table.visualRect(table.model()->index(row, 1)).center());
        QCoreApplication::processEvents();
    }
    void show(const char* which) { role.setCurrentIndex(role.findData(QString::fromLatin1(which))); }
    bool answer_rows(const control::StorePage& page) {
        if (cluster.all<control::ReadStore>().empty()) return false;
        const control::ReadStore question = cluster.last<control::ReadStore>();
        cluster.forget<control::ReadStore>();
        cluster.answer(question, page);
        return true;
    }
};

}  // namespace

class StoresTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stores_of_all_nodes_are_listed() {
        StoresConsole shown;
        QVERIFY2(shown.empty.text().contains(QStringLiteral("Asking")), qPrintable(shown.empty.text()));
        QVERIFY(!shown.cluster.all<control::ListStores>().empty());
        QCOMPARE(shown.cluster.last<control::ListStores>().node, NodeId("mic-1/node-1"));
        QVERIFY(shown.answer_list({listed_store("gpt-text-1/stage-0/0", 12)}, true));
        QCOMPARE(shown.cluster.last<control::ListStores>().after, std::string("gpt-text-1.stage-0.0.sqlite"));
        control::StoreView broken = listed_store("gpt-text-1/stage-2/0", 3);
        broken.damage = Error{ErrorCode::corrupt, "the checksum is wrong", "", ""};
        QVERIFY(shown.answer_list({broken}));
        QCOMPARE(shown.table.shown(), 0);  // empty until all nodes have answered
        QVERIFY(shown.answer_list({listed_store("gpt-text-1/stage-1/0", 9)}));
        QCOMPARE(shown.table.shown(), 3);
        QCOMPARE(shown.table.text(0, 0), QStringLiteral("gpt-text-1/stage-0/0"));
        QCOMPARE(shown.table.text(0, 1), QStringLiteral("gpt-text-1"));
        QCOMPARE(shown.table.text(0, 2), QStringLiteral("mic-1/node-1"));
        QCOMPARE(shown.table.text(0, 4), QStringLiteral("12"));
        QVERIFY(shown.table.text(1, 3).contains(QStringLiteral("checksum is wrong")));
        QCOMPARE(shown.table.text(2, 2), QStringLiteral("mic-2/node-1"));
        shown.console.shot("stores");
    }

    void node_that_does_not_answer_is_named() {
        StoresConsole shown;
        QVERIFY(!shown.cluster.all<control::ListStores>().empty());
        control::StoreList list;
        list.error = Error{ErrorCode::deadline, "the node does not answer", "mic-1/node-1", "see its load"};
        const control::ListStores question = shown.cluster.last<control::ListStores>();
        shown.cluster.forget<control::ListStores>();
        shown.cluster.answer(question, list);
        QVERIFY(shown.answer_list({listed_store("gpt-text-1/stage-1/0", 9)}));
        QCOMPARE(shown.table.shown(), 1);
        QVERIFY(shown.notice.isVisible());
        QVERIFY2(shown.notice.text().contains(QStringLiteral("does not answer")), qPrintable(shown.notice.text()));
    }

    void view_without_stores_shows_a_hint() {
        StoresConsole shown;
        QVERIFY(shown.answer_list({}) && shown.answer_list({}));
        QVERIFY2(shown.empty.isVisible() && shown.empty.text().contains(QStringLiteral("run a task")),
                 qPrintable(shown.empty.text()));
        QVERIFY(!shown.table.isVisible());
    }

    void rows_are_loaded_page_by_page() {
        StoresConsole shown;
        QVERIFY(shown.list());
        shown.choose(0);
        QVERIFY(!shown.cluster.all<control::ReadStore>().empty());
        QCOMPARE(shown.cluster.last<control::ReadStore>().table, std::string("progress"));
        QVERIFY(shown.answer_rows(steps(1, 1, 0)));
        shown.show("step");
        QVERIFY(!shown.cluster.all<control::ReadStore>().empty());
        QCOMPARE(shown.cluster.last<control::ReadStore>().table, std::string("step"));
        QCOMPARE(shown.cluster.last<control::ReadStore>().node, NodeId("mic-1/node-1"));
        QCOMPARE(shown.cluster.last<control::ReadStore>().sid, Sid("gpt-text-1/stage-0/0"));
        QVERIFY(shown.answer_rows(steps(12, 4, 9)));
        QCOMPARE(shown.rows.shown(), 4);
        QCOMPARE(shown.rows.text(0, 1), QStringLiteral("12"));
        auto* older = shown.console.find<QPushButton>("olderRows");
        QVERIFY(older->isVisible());
        QTest::mouseClick(older, Qt::LeftButton);
        QCOMPARE(shown.cluster.last<control::ReadStore>().before, std::int64_t{9});
        QVERIFY(shown.answer_rows(steps(8, 8, 0)));
        QCOMPARE(shown.rows.shown(), 12);
        QVERIFY(!older->isVisible());
        shown.console.shot("store-rows");
        // Steps are sorted as numbers.
        shown.rows.sortByColumn(1, Qt::AscendingOrder);
        QCOMPARE(shown.rows.text(0, 1), QStringLiteral("1"));
        QCOMPARE(shown.rows.text(11, 1), QStringLiteral("12"));
        shown.rows.selectRow(0);
        QTest::keyClick(&shown.rows, Qt::Key_C, Qt::ControlModifier);
        const QStringList copied = QApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(copied.size(), 2);
        QCOMPARE(copied[0], QStringLiteral("generation\tstep\tloss"));
        QVERIFY2(copied[1].startsWith(QStringLiteral("1\t1\t3")), qPrintable(copied[1]));
    }

    void answer_about_a_hidden_table_is_ignored() {
        StoresConsole shown;
        QVERIFY(shown.list());
        shown.choose(0);
        shown.show("step");
        QCOMPARE(shown.cluster.count<control::ReadStore>(), std::size_t{1});  // the request for "progress"
        QVERIFY(shown.answer_rows(steps(1, 1, 0)));
        QCOMPARE(shown.rows.shown(), 0);
        QVERIFY(!shown.cluster.all<control::ReadStore>().empty());
        QCOMPARE(shown.cluster.last<control::ReadStore>().table, std::string("step"));
        shown.show("audit");
        QVERIFY(shown.answer_rows(steps(12, 4, 0)));
        QCOMPARE(shown.rows.shown(), 0);
        QVERIFY(!shown.cluster.all<control::ReadStore>().empty());
        QCOMPARE(shown.cluster.last<control::ReadStore>().table, std::string("audit"));
    }

    void refusal_is_shown_in_place_of_the_rows() {
        StoresConsole shown;
        QVERIFY(shown.list());
        shown.choose(1);
        control::StorePage refused;
        refused.error = Error{ErrorCode::unavailable, "the node is away", "mic-2/node-1", "ask again when it is back"};
        QVERIFY(shown.answer_rows(refused));
        QVERIFY2(shown.title.text().contains(QStringLiteral("ask again when it is back")),
                 qPrintable(shown.title.text()));
    }

    void snapshots_of_the_cluster_are_listed() {
        StoresConsole shown;
        QVERIFY(shown.list());
        control::Checkpoint checkpoint;
        checkpoint.step = 10;
        checkpoint.parts = {
            {Sid("gpt-text-1/stage-0/0"), 0, "aa", 3 << 20, {NodeId("mic-1/node-1"), NodeId("mic-2/node-1")}},
            {Sid("gpt-text-1/stage-1/0"), 1, "bb", 5 << 20, {NodeId("mic-2/node-1")}}};
        shown.cluster.tell(control::CheckpointCommitted{TaskId("gpt-text-1"), checkpoint});
        shown.choose(0);
        shown.show("snapshots");
        QCOMPARE(shown.rows.shown(), 1);
        QCOMPARE(shown.rows.text(0, 0), QStringLiteral("10"));
        QCOMPARE(shown.rows.text(0, 2), QStringLiteral("3.0 MiB"));
        QCOMPARE(shown.rows.text(0, 4), QStringLiteral("mic-1/node-1, mic-2/node-1"));
    }

    void export_includes_all_pages_of_a_table() {
        StoresConsole shown;
        QVERIFY(shown.list());
        shown.choose(0);
        QVERIFY(shown.answer_rows(steps(1, 1, 0)));
        shown.show("step");
        QVERIFY(shown.answer_rows(steps(12, 4, 9)));
        const QString file = shown.console.folder.filePath(QStringLiteral("steps.csv"));
        QTest::mouseClick(shown.console.find<QPushButton>("exportStore"), Qt::LeftButton);
        auto* dialog = shown.console.window->findChild<QFileDialog*>(QStringLiteral("storeExportDialog"));
        QVERIFY(dialog);
        Q_EMIT dialog->fileSelected(file);
        dialog->close();
        QVERIFY(!QFile::exists(file));
        QVERIFY(shown.answer_rows(steps(12, 4, 9)));
        QVERIFY(shown.answer_rows(steps(8, 8, 0)));
        QFile read(file);
        QVERIFY(read.open(QIODevice::ReadOnly));
        const QStringList lines = QString::fromUtf8(read.readAll()).split(QStringLiteral("\r\n"), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 13);
        QCOMPARE(lines[0], QStringLiteral("generation,step,loss"));
        QCOMPARE(lines[1], QStringLiteral("1,1,3.75"));
        QVERIFY2(shown.notice.text().contains(QStringLiteral("12 rows")), qPrintable(shown.notice.text()));
        QCOMPARE(shown.rows.shown(), 4);  // reading the rows continues
    }

    void view_without_a_connection_shows_a_notice() {
        StoresConsole shown;
        shown.cluster.state.connection = client::Connection::waiting;
        Q_EMIT shown.cluster.statusChanged();
        QVERIFY2(shown.empty.text().contains(QStringLiteral("no connection")), qPrintable(shown.empty.text()));
        shown.cluster.forget<control::ListStores>();
        shown.cluster.connect_to(QStringLiteral("lab"));
        QVERIFY(shown.list());
        QCOMPARE(shown.table.shown(), 2);
    }

    void a_console_without_a_cluster_says_how_to_get_one() {
        testing::Console console;
        console.show_dock("State stores");
        QVERIFY(console.find<QLabel>("storeEmpty")->text().contains(client::no_cluster_text()));
    }
};

DIVISI_WINDOW_TEST(StoresTest)

}  // namespace stores_test

#include "stores_test.moc"
