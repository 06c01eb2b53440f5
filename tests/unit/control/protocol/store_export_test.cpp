// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/store_export.h"

#include <limits>

#include "tests/support/test_program.h"

namespace store_export_test {

using namespace divisi;
using namespace divisi::control;

namespace {

StoreRow row(std::int64_t step, std::optional<double> loss, const char* note) {
    return {{StoreCell{step}, StoreCell{{}, loss}, StoreCell{{}, {}, note}}};
}

StorePage page(std::vector<StoreRow> rows, std::int64_t before) {
    StorePage page;
    page.columns = {"step", "loss", "note"};
    page.rows = std::move(rows);
    page.before = before;
    return page;
}

}  // namespace

class StoreExportTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tables_are_read_newest_first_and_exported_oldest_first() {
        StoreReading reading(NodeId("mic-1/a"), Sid("gpt-1/stage-0/0"), {"step", "event"});
        QCOMPARE(reading.next().table, std::string("step"));
        QCOMPARE(reading.next().before, std::int64_t{0});
        QVERIFY(reading.take(page({row(4, 1, ""), row(3, 2, "")}, 3)).ok());
        QVERIFY(!reading.done() && reading.tables().empty());
        QCOMPARE(reading.next().table, std::string("step"));
        QCOMPARE(reading.next().before, std::int64_t{3});
        QVERIFY(reading.take(page({row(2, 3, ""), row(1, 4, "")}, 0)).ok());
        QCOMPARE(reading.tables().size(), std::size_t{1});
        QCOMPARE(*reading.tables()[0].rows.front().cells[0].whole, std::int64_t{1});
        QCOMPARE(reading.next().table, std::string("event"));
        QCOMPARE(reading.next().before, std::int64_t{0});
        StorePage last = page({}, 0);
        last.damaged = 2;
        QVERIFY(reading.take(std::move(last)).ok());
        QVERIFY(reading.done());
        QCOMPARE(reading.rows(), std::int64_t{4});
        QCOMPARE(reading.damaged(), std::int64_t{2});
    }

    void inconsistent_pages_are_refused() {
        StoreReading reading(NodeId("mic-1/a"), Sid("gpt-1/stage-0/0"), {"step"});
        QCOMPARE(reading.take(page({StoreRow{{StoreCell{1}}}}, 0)).error().code, ErrorCode::corrupt);
        QVERIFY(reading.take(page({row(4, 1, "")}, 4)).ok());
        // such a page would be requested forever
        QCOMPARE(reading.take(page({row(4, 1, "")}, 4)).error().code, ErrorCode::corrupt);
        StorePage refused;
        refused.error = Error{ErrorCode::unavailable, "the node is away", "mic-1/a", ""};
        QCOMPARE(reading.take(std::move(refused)).error().what, std::string("the node is away"));
    }

    void rows_are_written_as_csv_and_json() {
        StoreReading reading(NodeId("mic-1/a"), Sid("gpt-1/stage-0/0"), {"step"});
        QVERIFY(
            reading
                .take(page({row(2, std::numeric_limits<double>::quiet_NaN(), "b"), row(1, 0.1, "say \"a\", then")}, 0))
                .ok());
        QCOMPARE(QString::fromStdString(store_csv(reading.tables()[0])),
                 QStringLiteral("step,loss,note\r\n1,0.1,\"say \"\"a\"\", then\"\r\n2,NaN,b\r\n"));
        const QString json = QString::fromStdString(store_json(reading));
        QCOMPARE(
            json.section('\n', 0, 0),
            QStringLiteral("{\"node\":\"mic-1/a\",\"sid\":\"gpt-1/stage-0/0\",\"table\":\"step\",\"row\":{\"step\":1,"
                           "\"loss\":0.1,\"note\":\"say \\\"a\\\", then\"}}"));
        QVERIFY(json.contains(QStringLiteral("\"loss\":\"NaN\"")));
        QCOMPARE(cell_text(StoreCell{}), std::string());
    }

    void numbers_are_read_back_unchanged() {
        for (const double value : {0.1, 1.0 / 3, 1.7976931348623157e308, 2.25})
            QCOMPARE(std::stod(cell_text(StoreCell{{}, value})), value);
    }

    void file_extension_determines_the_format() {
        QCOMPARE(store_format_of("a/steps.csv"), StoreFormat::csv);
        QCOMPARE(store_format_of("a/steps.jsonl"), StoreFormat::json_lines);
        QCOMPARE(store_format_of("csv"), StoreFormat::json_lines);
    }
};

DIVISI_TEST(StoreExportTest)

}  // namespace store_export_test

#include "store_export_test.moc"
