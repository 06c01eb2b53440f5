// SPDX-License-Identifier: Apache-2.0

#include "backend/task/checkpoint_rule.h"
#include "backend/task/task_spec.h"
#include "tests/support/test_program.h"

namespace checkpoint_rule_test {

using namespace divisi;
using namespace divisi::task;
using Every = CheckpointRule::Every;

/// Tests the meaning of [checkpoint] and [faults] in a task file.
class CheckpointRuleTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reads_steps_and_times_data();
    void reads_steps_and_times();
    void refuses_other_texts_data();
    void refuses_other_texts();
    void keep_setting_ranges_from_1_to_100();
    void fault_answers_are_recover_wait_and_fail();
};

void CheckpointRuleTest::reads_steps_and_times_data() {
    QTest::addColumn<QString>("every");
    QTest::addColumn<int>("kind");
    QTest::addColumn<qint64>("count");
    const auto row = [](const char* every, Every kind, qint64 count) {
        QTest::newRow(every) << QString(every) << static_cast<int>(kind) << count;
    };
    row("auto", Every::automatic, 0);
    row("never", Every::never, 0);
    row("1", Every::steps, 1);
    row("1000000000", Every::steps, 1'000'000'000);
    row("30s", Every::seconds, 30);
    row("5min", Every::seconds, 300);
    row("2h", Every::seconds, 7200);
    row("87840h", Every::seconds, 316'224'000);  // ten years
}

void CheckpointRuleTest::reads_steps_and_times() {
    QFETCH(QString, every);
    QFETCH(int, kind);
    QFETCH(qint64, count);
    const auto rule = checkpoint_rule({every.toStdString(), 3});
    QVERIFY2(rule.ok(), rule.ok() ? "" : rule.error().message().c_str());
    QCOMPARE(static_cast<int>(rule->every), kind);
    QCOMPARE(rule->count, count);
    QCOMPARE(rule->keep, std::int64_t{3});
}

void CheckpointRuleTest::refuses_other_texts_data() {
    QTest::addColumn<QString>("every");
    for (const char* every : {"", "often", "s", "5m", "5 s", "+5", "1.5h", "5s5", "0", "-1", "0s", "-2h", "1000000001",
                              "87841h", "9223372036854775808", "9223372036854775807h"})
        QTest::newRow(every) << every;
}

void CheckpointRuleTest::refuses_other_texts() {
    QFETCH(QString, every);
    const auto rule = checkpoint_rule({every.toStdString(), 2});
    QVERIFY(!rule.ok());
    QCOMPARE(rule.error().code, ErrorCode::invalid_input);
    QCOMPARE(rule.error().where, std::string("checkpoint.every"));
    QVERIFY2(rule.error().what.find("'" + every.toStdString() + "'") != std::string::npos, rule.error().what.c_str());
    QVERIFY(rule.error().next.find("\"5min\"") != std::string::npos);
}

void CheckpointRuleTest::keep_setting_ranges_from_1_to_100() {
    QCOMPARE(checkpoint_rule({"auto", 1})->keep, std::int64_t{1});
    QCOMPARE(checkpoint_rule({"never", 100})->keep, std::int64_t{100});
    for (const std::int64_t keep : {0, -1, 101}) {
        const auto rule = checkpoint_rule({"auto", keep});
        QVERIFY(!rule.ok());
        QCOMPARE(rule.error().where, std::string("checkpoint.keep"));
    }
}

void CheckpointRuleTest::fault_answers_are_recover_wait_and_fail() {
    QCOMPARE(*fault_answer({}), FaultAnswer::recover);
    QCOMPARE(*fault_answer({"fail"}), FaultAnswer::fail);
    QCOMPARE(*fault_answer({"wait"}), FaultAnswer::wait);
    for (const char* other : {"", "waits", "standby", "Fail"}) {
        const auto answer = fault_answer({other});
        QVERIFY2(!answer.ok(), other);
        QCOMPARE(answer.error().where, std::string("faults.answer"));
    }
}

DIVISI_TEST(CheckpointRuleTest)

}  // namespace checkpoint_rule_test

#include "checkpoint_rule_test.moc"
