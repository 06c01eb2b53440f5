// SPDX-License-Identifier: Apache-2.0
#include "backend/store/instance_store.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QTemporaryDir>
#include <filesystem>
#include <fstream>

#include "tests/support/test_program.h"

namespace instance_store_test {

using namespace divisi;
using namespace divisi::store;

namespace {

TimePoint at(std::int64_t seconds) { return TimePoint(std::chrono::seconds(seconds)); }

const Sid stage("gpt-1/stage-0/0");
const Progress progress{2, 30, 960, at(5)};
const Deployment deployment{2, at(1), {{"plan", "ab"}, {"task", "gpt-1"}}, {"gpt-1/data/0#1", "gpt-1/stage-1/0#1"}};
const StepRow first_step{2, 29, at(4), 12.5, {}}, second_step{2, 30, at(5), 13, 2.25};
const EventRow an_event{at(2), "prepared", "plan ab"};
const OrderRow an_order{at(1), "orchestrator at ipc:///c", "deploy", "generation 2"};

std::vector<Entry> one_of_each() {
    return {progress, deployment, Hardware{at(1), {{"threads", "2"}}}, first_step, second_step, an_event, an_order};
}

}  // namespace

/// Tests the state that an instance keeps, and which process may write it.
class InstanceStoreTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void tables_survive_a_restart();
    void replaced_row_is_no_longer_in_the_store();
    void older_incarnation_cannot_write();
    void store_of_another_sid_is_refused();
    void newer_schema_is_refused_and_left_alone();
    void foreign_database_is_refused();
    void changed_row_is_never_served_data();
    void changed_row_is_never_served();
    void flipped_bit_is_never_served_data();
    void flipped_bit_is_never_served();
    void truncated_file_is_refused();
    void steps_are_thinned_and_bounded();
    void events_and_orders_are_bounded();
    void readers_cannot_write();

private:
    std::unique_ptr<InstanceStore> open(Incarnation incarnation = 1) const {
        return InstanceStore::open(file_, stage, incarnation, at(0)).value();
    }
    std::unique_ptr<QTemporaryDir> directory_;
    std::filesystem::path file_;
};

void InstanceStoreTest::init() {
    directory_ = std::make_unique<QTemporaryDir>();
    file_ = directory_->path().toStdString() + "/stage.sqlite";
}

void InstanceStoreTest::tables_survive_a_restart() {
    QVERIFY(open(3)->write(one_of_each()).ok());
    const auto store = InstanceStore::open_to_read(file_).value();
    QCOMPARE(store->identity().value(), (InstanceStore::Identity{stage, 3, at(0)}));
    QVERIFY(store->progress().value() == (Written<Progress>{3, progress}));
    QVERIFY(store->deployment().value() == (Written<Deployment>{3, deployment}));
    QVERIFY(store->hardware()->at("threads") == (Written<std::string>{3, "2"}));
    QVERIFY(store->steps(10).value() == (std::vector<Written<StepRow>>{{3, first_step}, {3, second_step}}));
    QVERIFY(store->steps(1).value() == (std::vector<Written<StepRow>>{{3, second_step}}));
    QVERIFY(store->events(10).value() == (std::vector<Written<EventRow>>{{3, an_event}}));
    QVERIFY(store->orders(10).value() == (std::vector<Written<OrderRow>>{{3, an_order}}));
}

void InstanceStoreTest::replaced_row_is_no_longer_in_the_store() {
    const auto store = open();
    QVERIFY(!store->progress()->has_value() && !store->deployment()->has_value());
    QVERIFY(store->write(one_of_each()).ok());
    const Progress later{3, 4, 128, at(9)};
    const Deployment smaller{3, at(8), {{"plan", "cd"}}, {}};
    QVERIFY(store->write(std::vector<Entry>{later, smaller, StepRow{2, 30, at(9), 1, 2.0}}).ok());
    QVERIFY(store->progress().value() == (Written<Progress>{1, later}));
    QVERIFY(store->deployment().value() == (Written<Deployment>{1, smaller}));
    QCOMPARE(store->steps(10)->size(), std::size_t{2});
    QCOMPARE(store->steps(10)->back().row.loss, std::optional(2.0));
}

void InstanceStoreTest::older_incarnation_cannot_write() {
    const auto zombie = open(4);
    QVERIFY(zombie->write(one_of_each()).ok());
    const auto next = open(5);
    QVERIFY(next->write(std::vector<Entry>{Progress{3, 31, 992, at(6)}}).ok());
    // The older process wakes up, and its file is still open.
    const auto written = zombie->write(std::vector<Entry>{Progress{2, 99, 9, at(7)}, an_event});
    QVERIFY(!written.ok());
    QCOMPARE(written.error().code, ErrorCode::denied);
    QVERIFY2(written.error().message().find("incarnation 5") != std::string::npos, written.error().message().c_str());
    QCOMPARE(next->progress().value()->row.step, 31);
    QCOMPARE(next->events(10)->size(), std::size_t{1});
    const auto again = InstanceStore::open(file_, stage, 4, at(8));
    QVERIFY(!again.ok());
    QCOMPARE(again.error().code, ErrorCode::denied);
    QVERIFY(next->write(std::vector<Entry>{an_event}).ok());
}

void InstanceStoreTest::store_of_another_sid_is_refused() {
    QVERIFY(open()->write(one_of_each()).ok());
    const auto other = InstanceStore::open(file_, Sid("gpt-2/stage-0/0"), 9, at(1));
    QVERIFY(!other.ok());
    QCOMPARE(other.error().code, ErrorCode::conflict);
    QVERIFY(other.error().message().find(stage.value()) != std::string::npos);
    QCOMPARE(open()->progress().value()->row.step, 30);
}

void InstanceStoreTest::newer_schema_is_refused_and_left_alone() {
    QVERIFY(open()->write(one_of_each()).ok());
    SQLite::Database(file_.string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
    for (const auto& opened :
         {InstanceStore::open(file_, stage, 2, at(1)).ok(), InstanceStore::open_to_read(file_).ok()})
        QVERIFY(!opened);
    QCOMPARE(InstanceStore::open(file_, stage, 2, at(1)).error().code, ErrorCode::unsupported);
    SQLite::Database(file_.string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 1");
    QVERIFY(open()->progress().value() == (Written<Progress>{1, progress}));
}

void InstanceStoreTest::foreign_database_is_refused() {
    SQLite::Database(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE mine (x)");
    QCOMPARE(InstanceStore::open(file_, stage, 1, at(0)).error().code, ErrorCode::invalid_input);
    QCOMPARE(InstanceStore::open_to_read(file_).error().code, ErrorCode::invalid_input);
    QVERIFY(!InstanceStore::open_to_read(file_.string() + ".none").ok());
}

void InstanceStoreTest::changed_row_is_never_served_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("table");
    QTest::newRow("identity") << "UPDATE identity SET incarnation = incarnation + 1"
                              << "identity";
    QTest::newRow("none") << "UPDATE progress SET step = step"
                          << "";
    QTest::newRow("state") << "UPDATE progress SET step = step + 4"
                           << "progress";
    QTest::newRow("state, checksum") << "UPDATE progress SET checksum = checksum + 1"
                                     << "progress";
    QTest::newRow("configuration") << "UPDATE configuration SET value = 'ac' WHERE name = 'plan'"
                                   << "configuration";
    QTest::newRow("dependencies") << "UPDATE dependency SET instance = 'x' WHERE instance LIKE '%data%'"
                                  << "dependency";
    QTest::newRow("hardware") << "UPDATE hardware SET value = '3'"
                              << "hardware";
    QTest::newRow("metrics") << "UPDATE step SET loss = 2.5 WHERE step = 30"
                             << "step";
    QTest::newRow("metrics, none") << "UPDATE step SET loss = NULL WHERE step = 30"
                                   << "step";
    QTest::newRow("events") << "UPDATE event SET detail = ''"
                            << "event";
    QTest::newRow("audit") << "UPDATE audit SET sender = 'nobody'"
                           << "audit";
}

void InstanceStoreTest::changed_row_is_never_served() {
    QFETCH(QString, change);
    QFETCH(const QString, table);
    QVERIFY(open()->write(one_of_each()).ok());
    SQLite::Database(file_.string(), SQLite::OPEN_READWRITE).exec(change.toStdString());
    const auto store = InstanceStore::open_to_read(file_).value();
    int refused = 0;
    const auto check = [&](const auto& read) {
        if (read.ok()) return;
        ++refused;
        QCOMPARE(read.error().code, ErrorCode::corrupt);
        const QString said = QString::fromStdString(read.error().message());
        QVERIFY2(said.contains("table " + table + " ") && said.contains(QString::fromStdString(file_.string())),
                 qPrintable(said));
    };
    check(store->identity());
    check(store->progress());
    check(store->deployment());
    check(store->hardware());
    check(store->steps(10));
    check(store->events(10));
    check(store->orders(10));
    QCOMPARE(refused, table.isEmpty() ? 0 : 1);
}

void InstanceStoreTest::flipped_bit_is_never_served_data() {
    QTest::addColumn<QString>("table");
    for (const char* table : {"progress", "configuration", "dependency", "hardware", "step", "event", "audit"})
        QTest::newRow(table) << table;
}

/// Flips bits in the stored rows of each table. A row reads back as written, or is refused with the file's name.
void InstanceStoreTest::flipped_bit_is_never_served() {
    QFETCH(const QString, table);
    QVERIFY(open()->write(one_of_each()).ok());
    std::size_t page = 0, page_size = 0;
    {
        SQLite::Database database(file_.string(), SQLite::OPEN_READWRITE);
        database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
        SQLite::Statement root(database, "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?");
        root.bind(1, table.toStdString());
        QVERIFY(root.executeStep());
        page = static_cast<std::size_t>(root.getColumn(0).getInt());
        page_size = static_cast<std::size_t>(database.execAndGet("PRAGMA page_size").getInt());
    }
    constexpr std::size_t rows = 96;  // SQLite stores rows at the end of their page
    int refused = 0;
    for (std::size_t at_byte = page * page_size - rows; at_byte < page * page_size; ++at_byte) {
        const auto flip = [&] {
            std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
            file.seekg(static_cast<std::streamoff>(at_byte));
            const char byte = static_cast<char>(file.get() ^ (1 << at_byte % 8));
            file.seekp(static_cast<std::streamoff>(at_byte));
            file.put(byte);
        };
        flip();
        if (const auto store = InstanceStore::open_to_read(file_); store.ok()) {
            const auto check = [&](const auto& read, const auto& as_written) {
                if (read.ok()) {
                    QVERIFY2(as_written(*read), qPrintable(QString::number(at_byte)));
                } else {
                    ++refused;
                    QVERIFY(read.error().message().find(file_.string()) != std::string::npos);
                }
            };
            check((*store)->progress(), [](const auto& read) { return read == (Written<Progress>{1, progress}); });
            check((*store)->deployment(), [](const auto& read) {
                return read == (Written<Deployment>{1, deployment});
            });
            check((*store)->hardware(), [](const auto& read) {
                return read.size() == 1 && read.begin()->second == (Written<std::string>{1, "2"});
            });
            check((*store)->steps(10), [](const auto& read) {
                return read == (std::vector<Written<StepRow>>{{1, first_step}, {1, second_step}});
            });
            check((*store)->events(10), [](const auto& read) {
                return read == (std::vector<Written<EventRow>>{{1, an_event}});
            });
            check((*store)->orders(10), [](const auto& read) {
                return read == (std::vector<Written<OrderRow>>{{1, an_order}});
            });
        }
        flip();
        if (QTest::currentTestFailed()) return;
    }
    QVERIFY(refused > 0);
}

void InstanceStoreTest::truncated_file_is_refused() {
    QVERIFY(open()->write(one_of_each()).ok());
    std::filesystem::resize_file(file_, std::filesystem::file_size(file_) / 2);
    const auto opened = InstanceStore::open(file_, stage, 2, at(1));
    QVERIFY(!opened.ok());
    QCOMPARE(opened.error().code, ErrorCode::corrupt);
    std::ofstream(file_, std::ios::trunc) << std::string(8192, 'x');
    QCOMPARE(InstanceStore::open(file_, stage, 2, at(1)).error().code, ErrorCode::corrupt);
}

void InstanceStoreTest::steps_are_thinned_and_bounded() {
    const auto store = open();
    std::vector<Entry> rows;
    const std::int64_t last = whole_steps + 16'000;
    for (std::int64_t step = 1; step <= last; ++step) rows.push_back(StepRow{1, step, at(step), 1, 0.5});
    QVERIFY(store->write(rows).ok());
    const auto kept = store->steps(last).value();
    QCOMPARE(static_cast<std::int64_t>(kept.size()), whole_steps + 16'000 / thinned_steps);
    QCOMPARE(kept.front().row.step, thinned_steps);
    QCOMPARE(kept.back().row.step, last);
    QCOMPARE(kept[kept.size() - whole_steps].row.step, last - whole_steps + 1);
}

void InstanceStoreTest::events_and_orders_are_bounded() {
    {
        const auto store = open();
        std::vector<Entry> rows;
        for (std::int64_t i = 0; i < most_event_rows + 500; ++i) {
            rows.push_back(EventRow{at(i), "trouble", std::to_string(i)});
            rows.push_back(OrderRow{at(i), "x", "peers", std::to_string(i)});
        }
        QVERIFY(store->write(rows).ok());
        QCOMPARE(static_cast<std::int64_t>(store->events(most_event_rows * 2)->size()), most_event_rows);
        QCOMPARE(static_cast<std::int64_t>(store->orders(most_event_rows * 2)->size()), most_event_rows);
    }
    const auto store = open(2);  // appends after the existing rows
    QVERIFY(store->write(std::vector<Entry>{EventRow{at(1), "connected", ""}}).ok());
    QCOMPARE(store->events(1)->back().row.what, std::string("connected"));
    QCOMPARE(store->events(2)->front().row.detail, std::to_string(most_event_rows + 499));
}

void InstanceStoreTest::readers_cannot_write() {
    const auto writer = open();
    const auto reader = InstanceStore::open_to_read(file_).value();
    QVERIFY(!reader->write(one_of_each()).ok());
    QVERIFY(writer->write(one_of_each()).ok());
    QCOMPARE(reader->progress().value()->row.step, 30);  // the reader sees new rows while the writer is open
}

DIVISI_TEST(InstanceStoreTest)

}  // namespace instance_store_test

#include "instance_store_test.moc"
