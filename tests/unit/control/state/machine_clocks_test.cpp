// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/machine_clocks.h"

#include "tests/support/test_program.h"
#include "tests/unit/control/runs_fixture.h"

namespace machine_clocks_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;
using namespace std::chrono_literals;

/// Tests the time of a measurement on another machine, as reported to viewers.
class MachineClocksTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void times_are_converted_to_the_orchestrators_clock();
    void report_without_a_time_counts_as_now();
    void machines_have_separate_clocks();
    void loads_are_forwarded_with_their_time();
};

/// The clock of the machine is an hour ahead. One report took 30 ms, the next 500 ms. The slow report does not count as
/// a later measurement.
void MachineClocksTest::times_are_converted_to_the_orchestrators_clock() {
    MachineClocks clocks;
    const TimePoint now(5h);
    QCOMPARE(clocks.moment("a", now - 30ms + 1h, now), now);  // the fastest report so far
    QCOMPARE(clocks.moment("a", now + 470ms + 1h, now + 1s - 30ms), now + 500ms);
    QCOMPARE(clocks.moment("a", now + 1s + 1h, now + 1500ms), now + 1030ms);
}

void MachineClocksTest::report_without_a_time_counts_as_now() {
    MachineClocks clocks;
    const TimePoint now(5h);
    for (const TimePoint none : {TimePoint{}, TimePoint::min(), TimePoint(-1s), TimePoint::max()})
        QCOMPARE(clocks.moment("a", none, now), now);
    QCOMPARE(clocks.moment("a", now - 1s, now), now);  // the machine's clock offset stays unknown
}

void MachineClocksTest::machines_have_separate_clocks() {
    MachineClocks clocks;
    const TimePoint now(5h);
    QCOMPARE(clocks.offset("a", now - 1h, now), Duration(1h));
    QCOMPARE(clocks.offset("b", now + 1h, now), Duration(-1h));
    QCOMPARE(clocks.offset("a", now - 1h + 1s, now + 1s), Duration(1h));
    RunsFixture fixture;
    fixture.train();
    QVERIFY(clock_of(fixture.context.state(), NodeId("a")) != clock_of(fixture.context.state(), NodeId("b")));
    QCOMPARE(clock_of(fixture.context.state(), NodeId("gone")), std::string("gone"));
}

void MachineClocksTest::loads_are_forwarded_with_their_time() {
    RunsFixture fixture;
    fixture.train();
    const auto passed = [&](TimePoint measured) {
        InstanceLoad load;
        load.instance = first;
        load.measured = measured;
        (void)fixture.say(first, LoadReport{load});
        return fixture.runs.reports().take_new_loads().at(0).measured;
    };
    QCOMPARE(passed(fixture.now + 2h), fixture.now);
    const TimePoint measured = fixture.now + 100ms;
    fixture.now += 700ms;
    fixture.context.set_time(fixture.now);
    QCOMPARE(passed(measured + 2h), measured + 1ms);  // 1 ms is the delay of the fastest report
    QCOMPARE(passed({}), fixture.now);
}

DIVISI_TEST(MachineClocksTest)

}  // namespace machine_clocks_test

#include "machine_clocks_test.moc"
