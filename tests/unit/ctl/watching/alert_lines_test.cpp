// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/watching/alert_lines.h"

#include "tests/support/test_program.h"

namespace alert_lines_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::ctl;
using std::chrono::seconds;

namespace {

Alert alert() {
    Alert one;
    one.number = 60;
    one.rule = AlertRule::loss_not_finite;
    one.subject = "gpt-1";
    one.task = TaskId("gpt-1");
    one.raised = TimePoint(seconds(1000));
    one.value = 1.5;
    one.bound = 3;
    one.what = "step 7: the loss is nan";
    one.next = "lower train.lr";
    return one;
}

}  // namespace

/// Tests the terminal's lines about alerts.
class AlertLinesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        qputenv("TZ", "UTC");
        ::tzset();
    }

    void open_alert_is_shown_with_its_remedy() {
        const auto row = alert_row(alert(), 512, TimePoint(seconds(1012)));
        QCOMPARE(row.size(), alert_columns().size());
        QCOMPARE(row[0], std::string("60"));
        QCOMPARE(row[1], std::string("raised"));
        QVERIFY(row[2].starts_with("1970-01-01 00:16:40 ("));
        QCOMPARE(row[3], std::string("loss not finite"));
        QCOMPARE(row[4], std::string("task gpt-1: step 7: the loss is nan"));
        QCOMPARE(row[5], std::string("lower train.lr; it failed: 'divisictl exceptions show 512'"));
        QCOMPARE(alert_row(alert(), 0, TimePoint(seconds(1012)))[5], std::string("lower train.lr"));
    }

    void cleared_alert_is_shown_with_its_reason() {
        Alert over = alert();
        over.cleared = TimePoint(seconds(1060));
        over.why = "its losses are numbers again";
        const auto row = alert_row(over, 0, TimePoint(seconds(2000)));
        QCOMPARE(row[1], std::string("cleared"));
        QCOMPARE(row[2], std::string("1970-01-01 00:17:40"));
        QCOMPARE(row[5], std::string("nothing: its losses are numbers again"));
    }

    void alert_is_also_given_as_json() {
        const auto line = alert_json(alert(), 512);
        QCOMPARE(line["alert"].get<int>(), 60);
        QCOMPARE(line["state"].get<std::string>(), std::string("raised"));
        QCOMPARE(line["threshold"].get<double>(), 3.0);
        QCOMPARE(line["exception"].get<int>(), 512);
        QVERIFY(!line.contains("cleared"));
    }
};

DIVISI_TEST(AlertLinesTest)

}  // namespace alert_lines_test

#include "alert_lines_test.moc"
