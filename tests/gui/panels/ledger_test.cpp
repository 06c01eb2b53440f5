// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the console's leases and receipts with a scripted client. The signatures are real.
#include <QElapsedTimer>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>

#include "backend/control/protocol/receipt_book.h"
#include "backend/store/receipt_key.h"
#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/headers.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace ledger_test {

using namespace divisi;
using testing::ScriptedClient;

namespace {

control::ReceiptSeal seal() { return *store::seal_with(std::string(63, '0') + "7", "test"); }

control::Receipt receipt(std::uint64_t number, const char* task, const char* consumer,
                         std::optional<std::int64_t> cpu_ms = 1500) {
    control::Receipt one;
    one.number = number;
    one.cluster = "lab";
    one.lease = {number, TaskId(task), InstanceId(std::string(task) + "/stage-0/0#1"), NodeId("mic-1/node-1"),
                 consumer};
    one.granted = TimePoint(std::chrono::seconds(100));
    one.reclaimed = TimePoint(std::chrono::seconds(100 + number));
    one.presumed = !cpu_ms;
    one.usage.cpu_ms = cpu_ms;
    one.usage.bytes_sent = 1 << 20;
    return one;
}

/// Returns the receipts, signed and linked to each other.
std::vector<control::Receipt> signed_receipts(std::vector<control::Receipt> receipts) {
    const control::ReceiptSeal key = seal();
    std::string before;
    for (control::Receipt& one : receipts) {
        one.previous = before;
        one.signature = key.sign(control::signed_text(control::receipt_fields(one)));
        before = key.hash(control::receipt_line(control::receipt_fields(one)));
    }
    return receipts;
}

/// A fixture with a console that shows leases and receipts.
struct LedgerConsole : testing::ConnectedConsole {
    QTableView& leases = *console.find<QTableView>("leaseTable");
    QTableView& receipts = *console.find<QTableView>("receiptTable");
    QLabel& notice = *console.find<QLabel>("ledgerNotice");
    QLabel& empty = *console.find<QLabel>("ledgerEmpty");
    std::vector<control::Receipt> all =
        signed_receipts({receipt(1, "gpt-1", "alice"), receipt(2, "gpt-1", "alice", 2500), receipt(3, "vit-2", "alice"),
                         receipt(4, "mlp-3", "bob", std::nullopt)});

    LedgerConsole() {
        cluster.play();
        cluster.cluster.state.lease_book.key = seal().public_key;
        console.show_dock("Leases");
    }
    void press(const char* button) {
        auto* widget = console.find<QAbstractButton>(button);
        QTest::mouseClick(widget, Qt::LeftButton);
    }
    /// Answers the last question as the cluster would.
    bool tell(std::size_t first, std::size_t last, bool more = false) {
        if (!QTest::qWaitFor([&] { return !cluster.all<control::QueryLog>().empty(); }, 3000)) return false;
        control::LogPage page;
        page.more = more;
        for (std::size_t i = first; i < last; ++i)
            page.events.push_back({100 + i, TimePoint(), control::LeaseReclaimed{all[i]}});
        cluster.answer(cluster.last<control::QueryLog>(), page);
        return true;
    }
    QString text(const QTableView& table, int row, int column) const {
        return table.model()->index(row, column).data().toString();
    }
};

}  // namespace

class LedgerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void leases_follow_the_cluster() {
        LedgerConsole shown;
        QVERIFY(shown.empty.isVisible());
        QVERIFY2(shown.empty.text().contains(QStringLiteral("No lease")), qPrintable(shown.empty.text()));
        control::LeaseView held;
        held.lease = {7, TaskId("gpt-text-1"), InstanceId("gpt-text-1/stage-0/0"), NodeId("mic-1/node-1"), "alice"};
        held.state = control::LeaseState::active;
        held.granted = held.activated = TimePoint(std::chrono::seconds(100));
        shown.cluster.cluster.state.leases[7] = held;
        shown.cluster.cluster.loads[InstanceId("gpt-text-1/stage-0/0")].back().load.bytes_sent = 3 << 20;
        Q_EMIT shown.cluster.dataChanged();
        QCOMPARE(shown.leases.model()->rowCount(), 1);
        QCOMPARE(shown.text(shown.leases, 0, 1), QStringLiteral("gpt-text-1"));
        QCOMPARE(shown.text(shown.leases, 0, 4), QStringLiteral("alice"));
        QVERIFY(shown.text(shown.leases, 0, 6).contains(QStringLiteral("active")));
        QCOMPARE(shown.text(shown.leases, 0, 8), QStringLiteral("\u2013"));  // not measured yet
        QCOMPARE(shown.text(shown.leases, 0, 10), QStringLiteral("3.0 MiB"));
        shown.console.shot("leases");
        shown.cluster.cluster.state.leases[7].state = control::LeaseState::reclaimed;
        Q_EMIT shown.cluster.dataChanged();
        QCOMPARE(shown.leases.model()->rowCount(), 0);
    }

    void receipts_are_loaded_page_by_page_and_as_they_are_issued() {
        LedgerConsole shown;
        shown.press("showReceipts");
        QVERIFY(shown.tell(0, 2, true));
        QCOMPARE(shown.cluster.last<control::QueryLog>().after, 101U);
        QVERIFY(shown.tell(2, 3));
        QCOMPARE(shown.receipts.model()->rowCount(), 3);
        shown.cluster.forget<control::QueryLog>();
        QTest::qWait(700);
        QVERIFY(shown.cluster.all<control::QueryLog>().empty());  // all receipts are already known
        shown.cluster.cluster.state.lease_book.receipts = 4;
        Q_EMIT shown.cluster.dataChanged();
        QVERIFY(shown.tell(3, 4));
        QCOMPARE(shown.receipts.model()->rowCount(), 4);
        QVERIFY(shown.text(shown.receipts, 3, 5).contains(QStringLiteral("presumed")));
        QCOMPARE(shown.text(shown.receipts, 3, 6), QStringLiteral("\u2013"));
        QVERIFY(shown.text(shown.receipts, 1, 6).startsWith(QStringLiteral("2.5")));
        shown.receipts.selectRow(1);
        auto* fields = shown.console.find<QTableWidget>("receiptFields");
        QCOMPARE(fields->findItems(QStringLiteral("signature"), Qt::MatchExactly).size(), 1);
        shown.console.shot("receipts");
    }

    void receipts_are_sorted_by_a_header_and_the_selection_stays() {
        LedgerConsole shown;
        shown.press("showReceipts");
        QVERIFY(shown.tell(0, 3));
        const auto numbers = [&] { return testing::shown_column(shown.receipts, 0).join(u' '); };
        const auto opened = [&] {
            auto* fields = shown.console.find<QTableWidget>("receiptFields");
            const auto found = fields->findItems(QStringLiteral("receipt"), Qt::MatchExactly);
            return found.isEmpty() ? QString() : fields->item(found.front()->row(), 1)->text();
        };
        QCOMPARE(numbers(), QStringLiteral("1 2 3"));
        shown.receipts.selectRow(1);
        QCOMPARE(opened(), QStringLiteral("2"));
        testing::press_header(shown.receipts, 6);  // sorts by processor time
        QCOMPARE(numbers(), QStringLiteral("1 3 2"));
        QCOMPARE(shown.receipts.currentIndex().row(), 2);
        QCOMPARE(opened(), QStringLiteral("2"));
        QVERIFY(shown.tell(3, 4));  // the processor time of receipt 4 is unknown
        QCOMPARE(numbers(), QStringLiteral("1 3 2 4"));
        shown.console.shot("receipts-sorted");
        testing::press_header(shown.receipts, 6);
        QCOMPARE(numbers(), QStringLiteral("4 2 1 3"));
        QCOMPARE(shown.receipts.currentIndex().row(), 1);
        testing::press_header(shown.receipts, 6);
        QCOMPARE(numbers(), QStringLiteral("1 2 3 4"));
        QCOMPARE(opened(), QStringLiteral("2"));
    }

    void leases_are_sorted_by_value_not_by_text() {
        LedgerConsole shown;
        for (const auto& [number, sent] : {std::pair{std::uint64_t{1}, std::int64_t{3} << 20}, {2, 900 << 10}}) {
            control::LeaseView held;
            held.lease = {number, TaskId("other"), InstanceId("other/" + std::to_string(number)),
                          NodeId("mic-1/node-1"), "alice"};
            held.state = control::LeaseState::active;
            held.usage.bytes_sent = sent;
            shown.cluster.cluster.state.leases[number] = held;
        }
        Q_EMIT shown.cluster.dataChanged();
        const auto numbers = [&] { return testing::shown_column(shown.leases, 0).join(u' '); };
        QCOMPARE(numbers(), QStringLiteral("1 2"));
        testing::press_header(shown.leases, 10);  // sorts by bytes sent: KiB before MiB
        QCOMPARE(numbers(), QStringLiteral("2 1"));
        Q_EMIT shown.cluster.dataChanged();
        QCOMPARE(numbers(), QStringLiteral("2 1"));
        testing::press_header(shown.leases, 10);
        QCOMPARE(numbers(), QStringLiteral("1 2"));
    }

    void totals_cover_the_filtered_receipts() {
        LedgerConsole shown;
        QVERIFY(shown.tell(0, 4));
        shown.press("showTotals");
        auto* totals = shown.console.find<QTreeWidget>("totalsTree");
        QCOMPARE(totals->topLevelItemCount(), 2);
        const QTreeWidgetItem* alice = totals->topLevelItem(0);
        QCOMPARE(alice->text(0), QStringLiteral("alice"));
        QCOMPARE(alice->text(1), QStringLiteral("3"));
        QVERIFY(alice->text(3).startsWith(QStringLiteral("5.5")));
        QCOMPARE(alice->childCount(), 2);
        QCOMPARE(alice->child(0)->text(0), QStringLiteral("gpt-1"));
        QVERIFY(alice->child(0)->text(3).startsWith(QStringLiteral("4.0")));
        QCOMPARE(totals->topLevelItem(1)->text(3), QStringLiteral("\u2013"));
        shown.console.shot("totals");
        auto* filter = shown.console.find<QLineEdit>("ledgerFilter");
        QTest::mouseClick(filter, Qt::LeftButton);
        QTest::keyClicks(filter, QStringLiteral("VIT"));
        QCOMPARE(totals->topLevelItemCount(), 1);
        QCOMPARE(totals->topLevelItem(0)->text(1), QStringLiteral("1"));
        QCOMPARE(shown.console.find<QLabel>("ledgerCount")->text(), QStringLiteral("1 of 4 receipts"));
    }

    void totals_are_sorted_by_value_and_the_selection_stays() {
        LedgerConsole shown;
        shown.all[2].usage.bytes_sent = 900 << 10;  // sent by vit-2; gpt-1 has sent 2 MiB
        QVERIFY(shown.tell(0, 3));
        shown.press("showTotals");
        auto* totals = shown.console.find<QTreeWidget>("totalsTree");
        const auto names = [&] {
            QStringList all;
            for (int row = 0; row < totals->topLevelItemCount(); ++row) {
                all << totals->topLevelItem(row)->text(0);
                for (int task = 0; task < totals->topLevelItem(row)->childCount(); ++task)
                    all << totals->topLevelItem(row)->child(task)->text(0);
            }
            return all.join(u' ');
        };
        QCOMPARE(names(), QStringLiteral("alice gpt-1 vit-2"));
        totals->setCurrentItem(totals->topLevelItem(0)->child(0));
        testing::press_header(*totals, 5);  // sorts by bytes sent: KiB before MiB
        QCOMPARE(names(), QStringLiteral("alice vit-2 gpt-1"));
        QCOMPARE(totals->currentItem()->text(0), QStringLiteral("gpt-1"));
        QVERIFY(shown.tell(3, 4));
        QCOMPARE(names(), QStringLiteral("bob mlp-3 alice vit-2 gpt-1"));
        QCOMPARE(totals->currentItem()->text(0), QStringLiteral("gpt-1"));
        shown.console.shot("totals-sorted");
        QVERIFY(totals->topLevelItem(0)->isExpanded() && totals->topLevelItem(1)->isExpanded());
        totals->topLevelItem(1)->setExpanded(false);
        testing::press_header(*totals, 5);
        QCOMPARE(names(), QStringLiteral("alice gpt-1 vit-2 bob mlp-3"));
        QVERIFY(!totals->topLevelItem(0)->isExpanded() && totals->topLevelItem(1)->isExpanded());
        testing::press_header(*totals, 3);  // sorts by processor time; bob's is unknown
        QCOMPARE(names(), QStringLiteral("alice vit-2 gpt-1 bob mlp-3"));
        testing::press_header(*totals, 3);
        QCOMPARE(names(), QStringLiteral("bob mlp-3 alice gpt-1 vit-2"));
        testing::press_header(*totals, 3);
        QCOMPARE(names(), QStringLiteral("alice gpt-1 vit-2 bob mlp-3"));  // sorted by name again
    }

    void export_matches_that_of_divisictl() {
        LedgerConsole shown;
        QVERIFY(!shown.console.find<QPushButton>("exportReceipts")->isEnabled());
        QVERIFY(shown.tell(0, 4));
        const QString file = shown.console.folder.filePath(QStringLiteral("receipts.csv"));
        shown.console.find<panels::LedgerView>("ledger")->export_to(file);
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        QCOMPARE(written.readAll().toStdString(), control::receipts_csv(shown.all));
        QVERIFY2(shown.notice.text().contains(QStringLiteral("4 receipts")), qPrintable(shown.notice.text()));
        shown.console.find<panels::LedgerView>("ledger")->export_to(QStringLiteral("/nowhere/receipts.csv"));
        QVERIFY2(shown.notice.text().contains(QStringLiteral("/nowhere")), qPrintable(shown.notice.text()));
    }

    void good_receipts_verify() {
        LedgerConsole shown;
        QVERIFY(shown.tell(0, 4));
        shown.press("verifyReceipts");
        QTRY_VERIFY(shown.notice.text().startsWith(u'\u2713'));
        QVERIFY2(shown.notice.text().contains(
                     QStringLiteral("4 receipts up to number 4: all signed with this cluster's key and unchanged; "
                                    "no earlier one is missing")),
                 qPrintable(shown.notice.text()));
        shown.press("showReceipts");
        shown.console.shot("receipts-verified");
    }

    void a_changed_receipt_does_not_verify() {
        LedgerConsole shown;
        shown.all[1].usage.cpu_ms = 1;
        QVERIFY(shown.tell(0, 4));
        shown.press("verifyReceipts");
        QTRY_VERIFY(shown.notice.text().startsWith(u'\u2715'));
        QVERIFY2(shown.notice.text().contains(QStringLiteral("the signature of receipt 2 is wrong")),
                 qPrintable(shown.notice.text()));
    }

    void verifying_a_partial_export_reports_the_missing_receipts() {
        LedgerConsole shown;
        QVERIFY(shown.tell(0, 4));
        const QString file = shown.console.folder.filePath(QStringLiteral("part.csv"));
        auto* ledger = shown.console.find<panels::LedgerView>("ledger");
        auto* filter = shown.console.find<QLineEdit>("ledgerFilter");
        QTest::mouseClick(filter, Qt::LeftButton);
        QTest::keyClicks(filter, QStringLiteral("bob"));
        ledger->export_to(file);
        QVERIFY2(shown.notice.text().contains(QStringLiteral("--part")), qPrintable(shown.notice.text()));
        ledger->verify_file(file);
        QTRY_VERIFY(shown.notice.text().startsWith(u'\u26a0'));
        QVERIFY2(shown.notice.text().contains(QStringLiteral("3 earlier ones are missing")),
                 qPrintable(shown.notice.text()));
        QFile other(file);
        QVERIFY(other.open(QIODevice::WriteOnly) && other.write("name,value\n1,2\n") > 0);
        other.close();
        ledger->verify_file(file);
        QVERIFY2(shown.notice.text().contains(QStringLiteral("not an export of receipts")),
                 qPrintable(shown.notice.text()));
    }

    void many_receipts_stay_smooth() {
        LedgerConsole shown;
        std::vector<control::Receipt> many;
        for (std::uint64_t number = 1; number <= 5000; ++number)
            many.push_back(receipt(number, ("task-" + std::to_string(number / 4)).c_str(), "alice"));
        shown.all = signed_receipts(std::move(many));
        // The last page takes no longer than the first, however many receipts are already there.
        std::vector<qint64> took;
        for (std::size_t first = 0; first < 5000; first += 1000) {
            QElapsedTimer timer;
            timer.start();
            QVERIFY(shown.tell(first, first + 1000, first < 4000));
            took.push_back(timer.elapsed());
        }
        QVERIFY2(took.back() < 10 * std::max<qint64>(took.front(), 50),
                 qPrintable(QStringLiteral("%1 %2 ms").arg(took.front()).arg(took.back())));
        shown.press("showReceipts");
        shown.press("verifyReceipts");
        // the window stays responsive meanwhile
        QTRY_VERIFY(shown.notice.text().startsWith(QStringLiteral("Verifying")));
        QTRY_VERIFY_WITH_TIMEOUT(shown.notice.text().startsWith(u'\u2713'), 20'000);
        shown.console.shot("receipts-many");
    }
};

DIVISI_WINDOW_TEST(LedgerTest)

}  // namespace ledger_test

#include "ledger_test.moc"
