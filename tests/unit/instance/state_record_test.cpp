// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/state_record.h"

#include <QTemporaryDir>

#include <fstream>
#include <map>

#include "backend/store/instance_store.h"
#include "tests/support/test_program.h"

namespace state_record_test {

using namespace divisi;
using namespace divisi::instance;
using store::InstanceStore;

namespace {

class HandClock final : public Clock {
public:
    TimePoint now() const override { return TimePoint(std::chrono::seconds(seconds)); }
    std::int64_t seconds = 10;
};

const Sid stage("gpt-1/stage-0/0");

void no_trouble(const Error& error) { qFatal("%s", error.message().c_str()); }

}  // namespace

class StateRecordTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void step_time_is_counted_from_the_previous_step();
    void nothing_is_recorded_without_a_store();
    void damaged_store_is_put_aside();
};

void StateRecordTest::step_time_is_counted_from_the_previous_step() {
    QTemporaryDir folder;
    const std::string file = folder.filePath("stage.sqlite").toStdString();
    {
        HandClock clock;
        StateRecord record(clock, "machine");
        record.open(file, stage, 1, no_trouble);
        QVERIFY(record.is_open());
        record.add_event("kept", "after step 4");
        record.passed(1, {5, 40, 0.5F});
        clock.seconds += 2;
        record.passed(1, {6, 48, {}});
    }
    const auto store = InstanceStore::open_to_read(file).value();
    const auto steps = store->steps(10).value();
    QCOMPARE(steps.size(), std::size_t{2});
    std::map<std::int64_t, double> times;
    for (const auto& step : steps) times[step.row.step] = step.row.duration_ms;
    QVERIFY((times == std::map<std::int64_t, double>{{5, 0}, {6, 2'000}}));
    QCOMPARE(store->progress().value()->row.samples, 48);
    QCOMPARE(store->events(10)->at(0).row.detail, std::string("after step 4"));
    QCOMPARE(store->hardware()->at("fingerprint").row, std::string("machine"));
}

void StateRecordTest::nothing_is_recorded_without_a_store() {
    const HandClock clock;
    StateRecord record(clock, "machine");
    QVERIFY(!record.is_open());
    record.add_event("kept", "");
    record.passed(1, {5, 40, {}});
    record.operation_ended({});
    record.add_hardware();
}

void StateRecordTest::damaged_store_is_put_aside() {
    QTemporaryDir folder;
    const std::string file = folder.filePath("stage.sqlite").toStdString();
    std::ofstream(file) << std::string(8'192, 'x');
    const HandClock clock;
    StateRecord record(clock, "machine");
    std::vector<ErrorCode> told;
    record.open(file, stage, 1, [&](const Error& error) { told.push_back(error.code); });
    QVERIFY(record.is_open());
    QVERIFY(told == std::vector{ErrorCode::corrupt});
    QVERIFY(std::filesystem::exists(file + ".damaged"));
}

DIVISI_TEST(StateRecordTest)

}  // namespace state_record_test

#include "state_record_test.moc"
