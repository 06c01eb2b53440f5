// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/load_meter.h"

#include "tests/support/test_program.h"

namespace load_meter_test {

using namespace divisi;
using namespace divisi::instance;

namespace {

TimePoint at(std::int64_t ms) { return TimePoint(std::chrono::milliseconds(ms)); }

}  // namespace

class LoadMeterTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void busy_and_wait_shares_refer_to_the_last_interval();
    void current_operation_is_named_until_it_ends();
    void peak_of_activations_is_reported_once();
    void totals_are_not_reset_by_a_new_interval();
};

void LoadMeterTest::busy_and_wait_shares_refer_to_the_last_interval() {
    LoadMeter meter(at(0));
    meter.add_busy(std::chrono::milliseconds(25));
    const auto first = meter.measure(at(100));
    QCOMPARE(first.busy_share, 0.25);
    QCOMPARE(first.wait_share, 0.75);
    meter.add_busy(std::chrono::milliseconds(50));
    QCOMPARE(meter.measure(at(200)).busy_share, 0.5);
    QCOMPARE(meter.measure(at(200)).busy_share, 0.0);  // an interval of no length
    meter.add_busy(std::chrono::milliseconds(900));
    QCOMPARE(meter.measure(at(300)).busy_share, 1.0);
}

void LoadMeterTest::current_operation_is_named_until_it_ends() {
    LoadMeter meter(at(0));
    meter.begin("forward", at(10));
    const auto during = meter.measure(at(45));
    QCOMPARE(during.operation, std::string("forward"));
    QCOMPARE(during.operation_ms, 35);
    meter.end();
    QVERIFY(meter.measure(at(50)).operation.empty());
}

void LoadMeterTest::peak_of_activations_is_reported_once() {
    LoadMeter meter(at(0));
    meter.set_loaded({1, 2, 3, 4});
    const auto loaded = meter.measure(at(1));
    QVERIFY(loaded.parameters == 1 && loaded.gradients == 0 && loaded.optimizer == 3 && loaded.activations == 0);
    meter.set_memory({1, 2, 3, 40});
    meter.set_memory({1, 2, 3, 4});
    const auto ran = meter.measure(at(2));
    QVERIFY(ran.gradients == 2 && ran.activations == 40);
    QCOMPARE(meter.measure(at(3)).activations, 4);
}

void LoadMeterTest::totals_are_not_reset_by_a_new_interval() {
    LoadMeter meter(at(0));
    meter.add_slots(6);
    meter.set_taken_slots(2);
    meter.set_held(3);
    meter.sent(10);
    meter.received(20);
    meter.step_passed(5, 8);
    meter.step_passed(6, 7);
    meter.served(4);
    meter.add_busy(std::chrono::milliseconds(1));
    (void)meter.measure(at(1));
    const auto load = meter.measure(at(2));
    QVERIFY(load.bytes_sent == 10 && load.bytes_received == 20 && load.step == 6 && load.served == 1);
    const EngineWork work = meter.work();
    QVERIFY(work.step == 6 && work.steps == 2 && work.samples == 15 && work.served == 1);
    QVERIFY(work.slots == 6 && work.taken == 2 && work.held == 3);
    QVERIFY(work.busy == std::chrono::milliseconds(1));
}

DIVISI_TEST(LoadMeterTest)

}  // namespace load_meter_test

#include "load_meter_test.moc"
