// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/data_demand.h"

#include "tests/support/test_program.h"
#include "tests/unit/plan/simulator.h"

namespace data_demand_test {

using namespace divisi;
using namespace divisi::plan;
using divisi::plan::test::pipeline;

namespace {

Programs programs(std::int64_t steps, std::int32_t microbatches, std::int64_t eval_every = 0) {
    const RunLength length{1, steps, microbatches, eval_every, 0};
    return make_programs(pipeline(2, false), make_pass_order("1f1b", 2, microbatches).value(), length, false);
}

void arrive(DataDemand& demand, const DataDemand::Place& place) {
    for (const std::int32_t channel : demand.channels()) demand.arrived({channel, place.step, place.microbatch});
}
void release(DataDemand& demand, const DataDemand::Place& place) {
    for (const std::int32_t channel : demand.channels()) demand.released({channel, place.step, place.microbatch});
}

/// Returns all requests of the first stage, in order.
std::vector<DataDemand::Place> asked_by(const Programs& plan, std::int32_t eval_microbatches) {
    DataDemand demand(plan, 0);
    demand.begin(eval_microbatches);
    std::vector<DataDemand::Place> order;
    while (!demand.awaited().empty()) {
        order.push_back(demand.awaited().front());
        arrive(demand, order.back());
        release(demand, order.back());
    }
    return order;
}

}  // namespace

class DataDemandTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void requests_at_most_as_much_as_it_has_slots();
    void evaluations_follow_their_steps();
    void resumed_run_requests_the_evaluation_first();
    void microbatch_is_pending_until_its_last_tensor();
    void stage_without_data_requests_nothing();
};

void DataDemandTest::requests_at_most_as_much_as_it_has_slots() {
    const Programs plan = programs(100, 4);
    DataDemand demand(plan, 0);
    QVERIFY(!demand.channels().empty());
    std::size_t slots = 1000;
    for (const std::int32_t channel : demand.channels())
        slots = std::min<std::size_t>(slots, plan.channels[static_cast<std::size_t>(channel)].slots);
    QVERIFY(demand.awaited().empty());
    demand.begin(0);
    QVERIFY(demand.take_changed() && !demand.take_changed());
    QCOMPARE(demand.awaited().size(), slots);
    for (const auto& place : demand.awaited()) arrive(demand, place);
    QVERIFY(demand.awaited().empty() && demand.take_changed());
    release(demand, {1, 0});
    QCOMPARE(demand.awaited().size(), std::size_t{1});
}

void DataDemandTest::evaluations_follow_their_steps() {
    const auto order = asked_by(programs(4, 2, 2), 3);
    const std::vector<DataDemand::Place> expected{{1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}, {2, 3}, {2, 4},
                                                  {3, 0}, {3, 1}, {4, 0}, {4, 1}, {4, 2}, {4, 3}, {4, 4}};
    QVERIFY(order == expected);
}

void DataDemandTest::resumed_run_requests_the_evaluation_first() {
    const auto after_two = asked_by(resumed_after(programs(4, 2, 2), 2).value(), 2);
    const std::vector<DataDemand::Place> expected{{2, 2}, {2, 3}, {3, 0}, {3, 1}, {4, 0}, {4, 1}, {4, 2}, {4, 3}};
    QVERIFY(after_two == expected);
    const auto after_three = asked_by(resumed_after(programs(4, 2, 2), 3).value(), 2);
    QVERIFY(after_three == std::vector(expected.begin() + 4, expected.end()));
}

void DataDemandTest::microbatch_is_pending_until_its_last_tensor() {
    Programs plan = programs(4, 2);
    // Adds another tensor of the same micro-batch, with its own channel.
    Channel second = plan.channels[static_cast<std::size_t>(*DataDemand(plan, 0).channels().begin())];
    plan.channels.push_back(second);
    DataDemand demand(plan, 0);
    QCOMPARE(demand.channels().size(), std::size_t{2});
    demand.begin(0);
    demand.arrived({*demand.channels().begin(), 1, 0});
    QVERIFY((demand.awaited().front() == DataDemand::Place{1, 0}));
    demand.arrived({*demand.channels().rbegin(), 1, 0});
    QVERIFY((demand.awaited().front() == DataDemand::Place{1, 1}));
    const std::size_t before = demand.awaited().size();
    demand.released({*demand.channels().begin(), 1, 0});
    QCOMPARE(demand.awaited().size(), before);
    demand.released({*demand.channels().rbegin(), 1, 0});
    QCOMPARE(demand.awaited().size(), before + 1);
}

void DataDemandTest::stage_without_data_requests_nothing() {
    const Programs plan = programs(4, 2);
    for (std::int32_t stage = 0; stage < 2; ++stage) {
        DataDemand demand(plan, stage);
        demand.begin(0);
        QCOMPARE(demand.take_changed(), !demand.channels().empty());
        QCOMPARE(demand.awaited().empty(), demand.channels().empty());
    }
    DataDemand nobody(plan, 7);
    nobody.begin(0);
    QVERIFY(nobody.awaited().empty());
}

DIVISI_TEST(DataDemandTest)

}  // namespace data_demand_test

#include "data_demand_test.moc"
