// SPDX-License-Identifier: Apache-2.0
#include "backend/store/store_reader.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QTemporaryDir>

#include <fstream>

#include "backend/store/instance_store.h"
#include "tests/support/test_program.h"

namespace store_reader_test {

using namespace divisi;
using namespace divisi::store;
namespace fs = std::filesystem;

namespace {

const Sid stage("gpt-1/stage-0/0");

/// A store with some steps, whose instance may still write.
struct StoreFixture {
    QTemporaryDir dir;
    fs::path file = fs::path(dir.path().toStdString()) / "gpt-1.stage-0.0.sqlite";
    std::unique_ptr<InstanceStore> writer;

    explicit StoreFixture(std::int64_t steps) {
        writer = InstanceStore::open(file, stage, 3, TimePoint(Duration(1))).value();
        std::vector<Entry> rows;
        for (std::int64_t step = 1; step <= steps; ++step)
            rows.push_back(StepRow{2, step, TimePoint(Duration(step)), 0.5, 1.0 / static_cast<double>(step)});
        rows.push_back(Progress{2, steps, 8 * steps, TimePoint(Duration(steps))});
        rows.push_back(Deployment{2, TimePoint(Duration(1)), {{"plan", "abc"}}, {}});
        if (!writer->write(rows)) qFatal("no store");
    }
    void change(const std::string& sql) const { SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec(sql); }
    Result<control::StorePage> read(const std::string& table, std::int64_t before = 0, std::int64_t limit = 10) const {
        return read_store_page(file, {NodeId("m/a"), stage, table, before, limit});
    }
};

/// Returns the column of this name from top to bottom.
std::vector<control::StoreCell> column(const control::StorePage& page, const std::string& name) {
    const auto found = std::ranges::find(page.columns, name);
    if (found == page.columns.end()) qFatal("no such column");
    std::vector<control::StoreCell> cells;
    for (const control::StoreRow& row : page.rows)
        cells.push_back(row.cells.at(static_cast<std::size_t>(found - page.columns.begin())));
    return cells;
}

}  // namespace

/// Tests how state stores are shown to other processes.
class StoreReaderTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void store_describes_itself();
    void unreadable_store_is_damaged_data();
    void unreadable_store_is_damaged();
    void pages_reach_every_row_once();
    void page_ends_at_its_byte_limit();
    void damaged_row_is_left_out_and_counted();
    void values_keep_their_types();
    void bad_queries_are_refused();
};

void StoreReaderTest::store_describes_itself() {
    const StoreFixture fixture(30);
    const control::StoreView view = describe_store(fixture.file);
    QVERIFY2(!view.damage, view.damage ? view.damage->message().c_str() : "");
    QCOMPARE(view.file, std::string("gpt-1.stage-0.0.sqlite"));
    QCOMPARE(view.sid, stage);
    QCOMPARE(view.incarnation, Incarnation{3});
    QCOMPARE(view.generation, Generation{2});
    QCOMPARE(view.step, std::int64_t{30});
    QVERIFY(view.size >= static_cast<Bytes>(fs::file_size(fixture.file)));
    QVERIFY(view.written > TimePoint{});
}

void StoreReaderTest::unreadable_store_is_damaged_data() {
    QTest::addColumn<QString>("sql");
    QTest::newRow("its own row") << "UPDATE identity SET opened_ns = 7";
    QTest::newRow("its progress") << "UPDATE progress SET step = 99";
    QTest::newRow("a newer schema") << "PRAGMA user_version = 99";
    QTest::newRow("no database") << "";
}

void StoreReaderTest::unreadable_store_is_damaged() {
    QFETCH(const QString, sql);
    StoreFixture fixture(3);
    if (sql.isEmpty()) {
        fixture.writer.reset();
        std::ofstream(fixture.file) << std::string(8192, 'x');
    } else {
        fixture.change(sql.toStdString());
    }
    const control::StoreView view = describe_store(fixture.file);
    QVERIFY(view.damage.has_value());
    QVERIFY(!view.file.empty() && view.step != 99);
    QVERIFY2(view.damage->where == fixture.file.string(), view.damage->message().c_str());
}

void StoreReaderTest::pages_reach_every_row_once() {
    const StoreFixture fixture(25);
    std::vector<std::int64_t> steps;
    std::int64_t before = 0;
    int pages = 0;
    do {
        const auto page = fixture.read("step", before);
        QVERIFY2(page.ok(), page.ok() ? "" : page.error().message().c_str());
        QVERIFY(page->rows.size() <= 10);
        for (const auto& cell : column(*page, "step")) steps.push_back(*cell.whole);
        before = page->before;
        // Rows written meanwhile do not shift the pages.
        QVERIFY(fixture.writer->write(std::vector<Entry>{StepRow{2, 100 + pages, TimePoint{}, 1, {}}}).ok());
        ++pages;
    } while (before != 0);
    QCOMPARE(pages, 3);
    QCOMPARE(steps.size(), std::size_t{25});
    for (std::size_t i = 0; i < steps.size(); ++i) QCOMPARE(steps[i], static_cast<std::int64_t>(25 - i));
}

void StoreReaderTest::page_ends_at_its_byte_limit() {
    const StoreFixture fixture(1);
    const std::string long_detail(100u << 10, 'x');  // too long to be returned completely
    for (int i = 0; i < 5; ++i)
        QVERIFY(fixture.writer->write(std::vector<Entry>{EventRow{TimePoint{}, "trouble", long_detail}}).ok());
    const auto page = fixture.read("event").value();
    QCOMPARE(page.rows.size(), std::size_t{3});  // a page ends once it reaches 256 KiB
    QVERIFY(page.before != 0);
    QCOMPARE(fixture.read("event", page.before)->rows.size(), std::size_t{2});
    const std::string told = *column(page, "detail")[0].text;
    QVERIFY(told.size() < long_detail.size() && told.ends_with("x ..."));
}

void StoreReaderTest::damaged_row_is_left_out_and_counted() {
    const StoreFixture fixture(5);
    fixture.change("UPDATE step SET loss = loss * 2 WHERE step = 4");
    const auto page = fixture.read("step").value();
    QCOMPARE(page.damaged, std::int64_t{1});
    QCOMPARE(page.rows.size(), std::size_t{4});
    for (const auto& cell : column(page, "step")) QVERIFY(*cell.whole != 4);
    QVERIFY(!describe_store(fixture.file).damage);  // readable except for that row
}

void StoreReaderTest::values_keep_their_types() {
    const StoreFixture fixture(4);
    QVERIFY(fixture.writer->write(std::vector<Entry>{StepRow{2, 5, TimePoint(Duration(9)), 0.5, {}}}).ok());
    const auto page = fixture.read("step").value();
    QCOMPARE(column(page, "time_ns")[0].whole, std::optional<std::int64_t>(9));
    QVERIFY(column(page, "loss")[0] == control::StoreCell{});
    QCOMPARE(column(page, "loss")[1].real, std::optional(0.25));
    QVERIFY(std::ranges::find(page.columns, "checksum") == page.columns.end());
    QCOMPARE(column(fixture.read("configuration").value(), "value")[0].text, std::optional<std::string>("abc"));
    QCOMPARE(column(fixture.read("progress").value(), "samples")[0].whole, std::optional<std::int64_t>(32));
}

void StoreReaderTest::bad_queries_are_refused() {
    const StoreFixture fixture(2);
    const auto unknown = fixture.read("sqlite_master");
    QCOMPARE(unknown.error().code, ErrorCode::invalid_input);
    QVERIFY2(unknown.error().next.find("step") != std::string::npos, unknown.error().message().c_str());
    QCOMPARE(fixture.read("step; DROP TABLE step").error().code, ErrorCode::invalid_input);
    const control::ReadStore other{NodeId("m/a"), Sid("gpt-1.stage-0/0"), "step", 0, 10};
    QCOMPARE(read_store_page(fixture.file, other).error().code, ErrorCode::conflict);
    QCOMPARE(read_store_page(fixture.file.string() + ".none", other).error().code, ErrorCode::not_found);
    QCOMPARE(fixture.read("step", 0, -5)->rows.size(), std::size_t{1});  // an invalid limit counts as the smallest
    QCOMPARE(fixture.read("step", 0, 1'000'000)->rows.size(), std::size_t{2});
}

DIVISI_TEST(StoreReaderTest)

}  // namespace store_reader_test

#include "store_reader_test.moc"
