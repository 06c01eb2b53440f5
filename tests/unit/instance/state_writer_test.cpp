// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/state_writer.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QTemporaryDir>
#include <atomic>

#include "tests/support/test_program.h"

namespace state_writer_test {

using namespace divisi;
using namespace divisi::instance;
using store::InstanceStore;

namespace {

TimePoint at(std::int64_t seconds) { return TimePoint(std::chrono::seconds(seconds)); }
const Sid stage("gpt-1/stage-0/0");

}  // namespace

/// Tests that StateWriter writes all rows before it ends, repeats failed writes, and stops when a newer incarnation
/// opens the store.
class StateWriterTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }
    void waiting_rows_are_written_before_the_writer_ends() {
        {
            StateWriter keeper(open(1), [](const Error&) {});
            for (std::int64_t step = 1; step <= 1'000; ++step) {
                keeper.write(store::StepRow{1, step, at(step), 1, 0.5});
                keeper.write(store::Progress{1, step, step * 16, at(step)});
            }
        }
        const auto store = InstanceStore::open_to_read(file()).value();
        QCOMPARE(store->progress().value()->row.step, 1'000);
        QCOMPARE(store->progress().value()->row.samples, 16'000);
        QCOMPARE(store->steps(2'000)->size(), std::size_t{1'000});
    }
    void older_incarnation_stops_writing_after_a_newer_one_opens() {
        std::atomic<int> told = 0;
        {
            StateWriter keeper(open(1), [&](const Error& error) { told += error.code == ErrorCode::denied; });
            const auto newer = open(2);
            keeper.write(store::Progress{1, 7, 7, at(7)});
            QTRY_COMPARE(keeper.lost(), std::uint64_t{1});
            keeper.write(store::EventRow{at(8), "connected", ""});
            QTRY_COMPARE(keeper.lost(), std::uint64_t{2});
        }
        QCOMPARE(told.load(), 1);  // not repeated for every row
        const auto store = InstanceStore::open_to_read(file()).value();
        QVERIFY(!store->progress()->has_value());
        QVERIFY(store->events(10)->empty());
    }
    void failed_writes_are_repeated() {
        auto store = open(1);
        std::atomic<int> told = 0;
        // Another process locks the database for longer than a writer waits.
        SQLite::Database other(file(), SQLite::OPEN_READWRITE);
        {
            StateWriter keeper(std::move(store), [&](const Error&) { ++told; });
            other.exec("BEGIN IMMEDIATE");
            keeper.write(store::EventRow{at(1), "first", ""});
            QTRY_COMPARE_WITH_TIMEOUT(told.load(), 1, 20'000);
            keeper.write(store::EventRow{at(2), "second", ""});
            other.exec("COMMIT");
        }
        const auto events = InstanceStore::open_to_read(file()).value()->events(10).value();
        QCOMPARE(events.size(), std::size_t{2});
        QCOMPARE(events[0].row.what, std::string("first"));
        QCOMPARE(events[1].row.what, std::string("second"));
    }

private:
    std::string file() const { return folder_->filePath("stage.sqlite").toStdString(); }
    std::unique_ptr<InstanceStore> open(Incarnation incarnation) const {
        return InstanceStore::open(file(), stage, incarnation, at(0)).value();
    }
    std::unique_ptr<QTemporaryDir> folder_;
};

DIVISI_TEST(StateWriterTest)

}  // namespace state_writer_test

#include "state_writer_test.moc"
