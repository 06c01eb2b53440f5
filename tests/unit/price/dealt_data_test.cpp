// SPDX-License-Identifier: Apache-2.0
#include "backend/price/dealt_data.h"

#include "backend/plan/schedule.h"
#include "backend/price/node_pool.h"
#include "tests/support/test_program.h"
#include "tests/unit/plan/simulator.h"

namespace dealt_data_test {

using namespace divisi;
using namespace divisi::plan;
using namespace divisi::price;

namespace {

/// Returns two stages: the first takes inputs, the second labels. There are 3 micro-batches, and 2 slots on every
/// channel.
Programs programs() {
    return make_programs(test::pipeline(2, false), make_pass_order("1f1b", 2, 3).value(), {1, 2, 3, 0, 0}, false, 2);
}

std::int32_t data_channel_to(const Programs& programs, std::int32_t stage) {
    for (std::size_t i = 0; i < programs.channels.size(); ++i)
        if (programs.channels[i].from == data_unit && programs.channels[i].to == stage)
            return static_cast<std::int32_t>(i);
    return -1;
}

bool is(const DealtData::Order& order, std::size_t instance, std::int32_t stage, DataDemand::Place place) {
    return order.instance == instance && order.stage == stage && order.place == place;
}

}  // namespace

/// Tests the assignment of micro-batches to data instances, and the placement of data instances by plans.
class DealtDataTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void instances_take_turns_over_all_stages();
    void slot_of_a_microbatch_that_was_not_received_is_not_freed();
    void data_instances_run_on_the_least_loaded_nodes();
};

void DealtDataTest::instances_take_turns_over_all_stages() {
    const Programs plan = programs();
    DealtData dealt(plan, 3);
    const auto first = dealt.begin();
    QCOMPARE(first.size(), std::size_t{4});
    QVERIFY(is(first[0], 0, 0, {1, 0}) && is(first[1], 1, 0, {1, 1}));
    QVERIFY(is(first[2], 2, 1, {1, 0}) && is(first[3], 0, 1, {1, 1}));
    const std::int32_t inputs = data_channel_to(plan, 0);
    for (const std::int32_t microbatch : {0, 1}) dealt.arrived({inputs, 1, microbatch});
    const auto next = dealt.released({inputs, 1, 0});
    QCOMPARE(next.size(), std::size_t{1});
    QVERIFY(is(next[0], 1, 0, {1, 2}));
    const auto of_next_step = dealt.released({inputs, 1, 1});
    QCOMPARE(of_next_step.size(), std::size_t{1});
    QVERIFY(is(of_next_step[0], 2, 0, {2, 0}));
}

void DealtDataTest::slot_of_a_microbatch_that_was_not_received_is_not_freed() {
    const Programs plan = programs();
    DealtData dealt(plan, 1);
    (void)dealt.begin();
    QVERIFY(dealt.released({data_channel_to(plan, 0), 1, 0}).empty());
}

void DealtDataTest::data_instances_run_on_the_least_loaded_nodes() {
    NodePool pool = default_pool();
    pool.nodes.resize(3);
    pool.ready = 3;
    const auto hosts = [&](const std::vector<std::int32_t>& stages, std::int32_t instances) {
        std::vector<std::int32_t> found;
        for (const PlannedDevice& device : pool.place_data(stages, instances)) found.push_back(device.host);
        return found;
    };
    QCOMPARE(hosts({0, 1}, 3), (std::vector<std::int32_t>{2, 0, 1}));
    QCOMPARE(hosts({0, 0, 2}, 2), (std::vector<std::int32_t>{1, 1}));
    pool.data = pool.nodes[1];
    QCOMPARE(hosts({0, 1}, 3), (std::vector<std::int32_t>{1, 1, 1}));
}

DIVISI_TEST(DealtDataTest)

}  // namespace dealt_data_test

#include "dealt_data_test.moc"
