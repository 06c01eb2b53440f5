// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "backend/plan/checks.h"
#include "tests/unit/plan/graphs.h"
#include "tests/unit/plan/simulator.h"

using namespace divisi;
using namespace divisi::plan;

class ChecksTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void both_schedules_are_executable();
    void too_few_slots_for_a_skip_are_found();
    void a_missing_pass_is_found();
    void partition_and_its_edges_are_held_together();
    void memory_is_held_against_the_device();
};

void ChecksTest::both_schedules_are_executable() {
    for (const std::string& schedule : schedule_names())
        for (std::int32_t stages = 1; stages <= 8; ++stages)
            for (const std::int32_t microbatches : {1, 2, 7, 16}) {
                const auto order = make_pass_order(schedule, stages, microbatches).value();
                const auto checked = check_schedule(
                    make_programs(test::pipeline(stages, true), order, {1, 9, microbatches, 3, 1}, true));
                QVERIFY2(checked.ok(), checked.ok() ? "" : checked.error().message().c_str());
            }
}

void ChecksTest::too_few_slots_for_a_skip_are_found() {
    Programs programs = make_programs(test::pipeline(6, true), one_f_one_b(6, 16), {1, 9, 16, 0, 0}, false);
    for (Channel& channel : programs.channels) channel.slots = 1;
    const auto checked = check_schedule(programs);
    QVERIFY(!checked.ok());
    QVERIFY(checked.error().message().find("needs a slot at stage 0") != std::string::npos);
}

void ChecksTest::a_missing_pass_is_found() {
    PassOrder order = gpipe(3, 4);
    order[1].erase(order[1].begin());  // stage 1 never runs micro-batch 0
    const auto checked = check_schedule(make_programs(test::pipeline(3, false), order, {1, 1, 4, 0, 0}, false));
    QVERIFY(!checked.ok());
    QVERIFY(checked.error().message().find("stage 2 cannot start forward of micro-batch 0") != std::string::npos);
}

void ChecksTest::partition_and_its_edges_are_held_together() {
    const auto graph = test::chain(2);
    Partition partition = make_partition(graph, {{{0, 1}}, {{2, 3}}}).value();
    QVERIFY(check_partition(graph, partition).ok());
    const Edge edge = partition.edges.back();
    partition.edges.pop_back();
    const auto missing = check_partition(graph, partition);
    QVERIFY(!missing.ok() && missing.error().message().find("relu_0_out") != std::string::npos);
    partition.edges.push_back(edge);
    partition.edges.push_back({0, data_unit, 1, false});
    QVERIFY(!check_partition(graph, partition).ok());
}

void ChecksTest::memory_is_held_against_the_device() {
    const StageMemory memory{1000, 1000, 2000, 6000};
    QVERIFY(check_memory({memory, memory}, {{"a", 10000}, {"b", std::nullopt}}).ok());
    const auto refused = check_memory({memory, memory}, {{"a", 10000}, {"mic-1/node-2 cpu", 9999}});
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().where, std::string("stage 1"));
    QVERIFY(refused.error().message().find("mic-1/node-2 cpu") != std::string::npos);
}

QTEST_GUILESS_MAIN(ChecksTest)
#include "checks_test.moc"
