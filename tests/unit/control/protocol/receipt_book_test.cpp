// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/receipt_book.h"
#include "backend/control/protocol/log_messages.h"
#include "backend/control/protocol/message.h"
#include "backend/control/state/event.h"

#include "backend/base/csv.h"
#include "backend/control/types/receipt.h"
#include "tests/support/test_program.h"

namespace receipt_book_test {

using namespace divisi;
using namespace divisi::control;

namespace {

Event reclaimed(std::uint64_t sequence, std::uint64_t number) {
    Receipt receipt;
    receipt.number = number;
    receipt.reason = "it ended, \"well\"";
    return {sequence, TimePoint(), LeaseReclaimed{receipt}};
}

}  // namespace

class ReceiptBookTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pages_follow_on_each_other() {
        ReceiptBook book("gpt-1");
        QVERIFY(!book.complete());
        QCOMPARE(book.next().after, 0U);
        QCOMPARE(book.next().task, std::string("gpt-1"));
        QCOMPARE(book.next().kind, std::string(kind_name(LeaseReclaimed{})));
        QVERIFY(book.next().oldest);
        QCOMPARE(book.take({{reclaimed(5, 1), reclaimed(9, 2)}, true}), 2U);
        QVERIFY(!book.complete());
        QCOMPARE(book.next().after, 9U);
        QCOMPARE(book.take({{reclaimed(12, 3)}, false}), 1U);
        QVERIFY(book.complete());
        QCOMPARE(book.receipts().size(), 3U);
        QCOMPARE(book.receipts().back().number, 3U);
    }

    void repeated_page_counts_once() {
        ReceiptBook book;
        book.take({{reclaimed(5, 1)}, false});
        QCOMPARE(book.take({{reclaimed(5, 1), reclaimed(6, 2)}, false}), 1U);
        QCOMPARE(book.receipts().size(), 2U);
    }

    void empty_page_ends_the_book() {
        ReceiptBook book;
        QCOMPARE(book.take({{}, true}), 0U);  // there is no further page
        QVERIFY(book.complete());
    }

    void an_export_is_read_back() {
        ReceiptBook book;
        book.take({{reclaimed(5, 1), reclaimed(6, 2)}, false});
        const auto rows = parse_csv(receipts_csv(book.receipts()), "export");
        QVERIFY(rows.ok());
        QCOMPARE(rows->size(), 3U);
        QCOMPARE(rows->front(), receipt_columns());
        QCOMPARE((*rows)[2], receipt_fields(book.receipts()[1]));
    }
};

DIVISI_TEST(ReceiptBookTest)

}  // namespace receipt_book_test

#include "receipt_book_test.moc"
