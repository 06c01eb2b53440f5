// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/signal_book.h"
#include "backend/control/protocol/mesh_messages.h"

#include "backend/control/protocol/signal_texts.h"
#include "tests/support/test_program.h"

namespace signal_book_test {

using namespace divisi;
using namespace divisi::control;

namespace {

constexpr SignalKind kinds[] = {SignalKind::rsvp,    SignalKind::routes, SignalKind::load,
                                registration_signal, request_signal,     report_signal};

SignalRecord record(SignalKind kind, const std::string& text = "x") { return {TimePoint(), 1, 0, text, 0, kind}; }

/// Reads the whole book, page by page.
std::vector<SignalRecord> all(const SignalBook& book) {
    std::vector<SignalRecord> records;
    for (bool more = true; more;) {
        Signals page = book.after(records.empty() ? 0 : records.back().number);
        more = page.more;
        records.insert(records.end(), page.records.begin(), page.records.end());
    }
    return records;
}

}  // namespace

/// Tests the book of the latest messages of each type.
class SignalBookTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void flood_of_one_kind_evicts_no_other_data();
    void flood_of_one_kind_evicts_no_other();
    void pages_have_all_kinds_in_order_of_number();
    void numbered_records_keep_their_number();
};

void SignalBookTest::flood_of_one_kind_evicts_no_other_data() {
    QTest::addColumn<int>("flooding");
    for (const SignalKind kind : kinds) QTest::addRow("kind %d", static_cast<int>(kind)) << static_cast<int>(kind);
}

void SignalBookTest::flood_of_one_kind_evicts_no_other() {
    QFETCH(int, flooding);
    const SignalKind flood{static_cast<std::uint8_t>(flooding)};
    SignalBook book;
    for (const SignalKind kind : kinds) book.add(record(kind, "first"));
    for (std::size_t i = 0; i < most_kept_signals + 10; ++i) book.add(record(flood));
    std::map<SignalKind, std::size_t> kept;
    for (const SignalRecord& one : all(book)) {
        QCOMPARE(one.bytes, std::string(one.kind == flood ? "x" : "first"));
        ++kept[one.kind];
    }
    for (const SignalKind kind : kinds) QCOMPARE(kept[kind], kind == flood ? most_kept(kind) : std::size_t{1});
    QCOMPARE(book.counts().at(flood), most_kept_signals + 11);
}

void SignalBookTest::pages_have_all_kinds_in_order_of_number() {
    SignalBook book;
    constexpr std::size_t count = 3 * most_reported_signals;
    for (std::size_t i = 0; i < count; ++i) book.add(record(kinds[i % std::size(kinds)], std::to_string(i + 1)));
    QVERIFY(book.after(0).more);
    const std::vector<SignalRecord> records = all(book);
    QCOMPARE(records.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
        QCOMPARE(records[i].number, i + 1);
        QCOMPARE(records[i].bytes, std::to_string(i + 1));
    }
    QVERIFY(book.after(count).records.empty());
}

void SignalBookTest::numbered_records_keep_their_number() {
    SignalBook book;
    SignalRecord one = record(SignalKind::load);
    one.number = 7;
    book.keep(one);
    book.add(record(SignalKind::rsvp));
    QCOMPARE(book.last_number(), std::uint64_t{8});
    QCOMPARE(book.after(0).records.at(0).number, std::uint64_t{7});
    QCOMPARE(book.after(7).records.at(0).number, std::uint64_t{8});
}

DIVISI_TEST(SignalBookTest)

}  // namespace signal_book_test

#include "signal_book_test.moc"
