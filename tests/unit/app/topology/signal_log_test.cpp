// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/signal_log.h"

#include <algorithm>

#include "backend/control/protocol/signal_book.h"
#include "backend/control/protocol/signal_texts.h"
#include "tests/support/test_program.h"

namespace signal_log_test {

using namespace divisi;
using topology::SignalLog;

namespace {

/// A fixture that adds messages as a client receives them, and tracks the rows as a view does.
struct Heard {
    SignalLog log;
    std::vector<std::uint64_t> rows;
    std::uint64_t last = 0;

    Heard() {
        QObject::connect(&log, &QAbstractItemModel::rowsInserted, [this](const QModelIndex&, int first, int last_row) {
            for (int row = first; row <= last_row; ++row) rows.insert(rows.begin() + row, log.at(row).record.number);
        });
        QObject::connect(&log, &QAbstractItemModel::rowsRemoved, [this](const QModelIndex&, int first, int last_row) {
            rows.erase(rows.begin() + first, rows.begin() + last_row + 1);
        });
        QObject::connect(&log, &QAbstractItemModel::modelReset, [this] { rows = shown(); });
    }
    void say(control::SignalKind kind, std::size_t count = 1) {
        std::vector<control::SignalRecord> records;
        for (std::size_t i = 0; i < count; ++i) records.push_back({TimePoint(), 1, 0, "a text", ++last, kind});
        log.append(records);
    }
    std::vector<std::uint64_t> shown() const {
        std::vector<std::uint64_t> numbers;
        for (int row = 0; row < log.rowCount(); ++row) numbers.push_back(log.at(row).record.number);
        return numbers;
    }
    std::size_t count(control::SignalKind kind) const {
        std::size_t found = 0;
        for (int row = 0; row < log.rowCount(); ++row) found += log.at(row).record.kind == kind ? 1 : 0;
        return found;
    }
};

}  // namespace

class SignalLogTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void many_messages_of_one_type_evict_no_others() {
        Heard heard;
        heard.say(control::SignalKind::rsvp);
        const std::size_t most = control::most_kept(control::report_signal);
        for (std::size_t i = 0; i < 4; ++i) {
            heard.say(control::registration_signal);
            heard.say(control::report_signal, most / 2);
        }
        QCOMPARE(heard.count(control::SignalKind::rsvp), std::size_t{1});
        QCOMPARE(heard.count(control::registration_signal), std::size_t{4});
        const std::size_t reports = heard.count(control::report_signal);
        QVERIFY2(reports <= most && reports > most / 2, qPrintable(QString::number(reports)));
        QCOMPARE(heard.log.total(), reports + 5);
        QVERIFY(heard.rows == heard.shown());
        QVERIFY(std::ranges::is_sorted(heard.rows));
        QCOMPARE(heard.rows.front(), std::uint64_t{1});
        QCOMPARE(heard.rows.back(), heard.last);
        QCOMPARE(heard.log.row_of(2), 1);
        QCOMPARE(heard.log.row_of(3), -1);  // a report that was evicted long ago
        QCOMPARE(heard.log.row_of(heard.last), heard.log.rowCount() - 1);
    }

    void hidden_messages_are_dropped_too() {
        Heard heard;
        const std::size_t most = control::most_kept(control::report_signal);
        heard.say(control::registration_signal, 3);
        heard.log.set_filter({topology::advert_types().front(), {}, {}, false});
        heard.say(control::report_signal, most + 1);
        QCOMPARE(heard.log.rowCount(), 3);
        QVERIFY(heard.log.total() <= most + 3);
        heard.log.set_filter({});
        QCOMPARE(heard.count(control::registration_signal), std::size_t{3});
        QCOMPARE(static_cast<std::size_t>(heard.log.rowCount()), heard.log.total());
        heard.say(control::registration_signal, control::most_kept(control::registration_signal));
        QVERIFY(heard.rows == heard.shown());
        QVERIFY(heard.count(control::registration_signal) < control::most_kept(control::registration_signal));
        QVERIFY(heard.count(control::report_signal) > most / 2);
        heard.log.clear();
        QCOMPARE(heard.log.total(), std::size_t{0});
        heard.last = 0;
        heard.say(control::report_signal);  // a new orchestrator restarts the numbering
        QCOMPARE(heard.log.rowCount(), 1);
    }
};

DIVISI_TEST(SignalLogTest)

}  // namespace signal_log_test

#include "signal_log_test.moc"
