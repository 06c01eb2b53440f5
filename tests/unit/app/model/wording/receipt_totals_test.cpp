// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/receipt_totals.h"

#include "tests/support/test_program.h"

namespace receipt_totals_test {

using namespace divisi;
using model::ReceiptTotals;

namespace {

control::Receipt receipt(const char* task, const char* consumer, std::optional<std::int64_t> cpu_ms) {
    control::Receipt one;
    one.lease.task = TaskId(task);
    one.lease.node = NodeId("mic-1/node-1");
    one.lease.instance = InstanceId(std::string(task) + "/stage-0/0#1");
    one.lease.consumer = consumer;
    one.usage.cpu_ms = cpu_ms;
    one.presumed = !cpu_ms;
    return one;
}

}  // namespace

class ReceiptTotalsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void receipts_are_summed_by_submitter_and_task() {
        ReceiptTotals totals;
        totals.add(receipt("gpt-1", "alice", 1000));
        totals.add(receipt("gpt-1", "alice", 500));
        totals.add(receipt("vit-1", "alice", 250));
        totals.add(receipt("gpt-2", "bob", 1));
        QCOMPARE(totals.submitters.size(), 2U);
        const ReceiptTotals::Submitter& alice = totals.submitters.at("alice");
        QCOMPARE(alice.all.receipts, 3U);
        QCOMPARE(alice.all.cpu_ms.sum, 1750);
        QCOMPARE(alice.tasks.at("gpt-1").cpu_ms.sum, 1500);
        QCOMPARE(totals.submitters.at("bob").all.receipts, 1U);
    }

    void unmeasured_figure_is_not_shown_as_zero() {
        model::ReceiptSum sum;
        sum.add(receipt("a", "b", std::nullopt));
        QCOMPARE(model::seconds_text(sum.cpu_ms), QStringLiteral("\u2013"));
        QCOMPARE(sum.presumed, 1U);
        sum.add(receipt("a", "b", 1500));
        QVERIFY(model::seconds_text(sum.cpu_ms).startsWith(QStringLiteral("\u2265 1.5")));
        QCOMPARE(model::bytes_text(std::optional<std::int64_t>()), QStringLiteral("\u2013"));
        QVERIFY(model::bytes_text(std::optional<std::int64_t>(0)) != QStringLiteral("\u2013"));
    }

    void filter_ignores_the_case_of_names() {
        const control::Lease lease = receipt("Gpt-1", "alice", 1).lease;
        for (const char* text : {"", "gpt", "NODE-1", "Alice", "stage-0"})
            QVERIFY2(model::lease_has(lease, QString::fromLatin1(text)), text);
        QVERIFY(!model::lease_has(lease, QStringLiteral("bob")));
    }
};

DIVISI_TEST(ReceiptTotalsTest)

}  // namespace receipt_totals_test

#include "receipt_totals_test.moc"
