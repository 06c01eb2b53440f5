// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/units.h"

#include "tests/support/test_program.h"

namespace units_test {

using namespace divisi;
using namespace divisi::instance;

namespace {

/// Two stages: channel 0 brings the data to stage 0, channel 1 the activations to stage 1.
std::shared_ptr<const plan::Programs> two_stages() {
    plan::Programs programs;
    programs.channels = {{plan::Channel::Kind::value, 0, plan::data_unit, 0, 3},
                         {plan::Channel::Kind::value, 1, 0, 1, 2}};
    programs.data = {plan::data_unit, {{plan::OperationKind::load, 0, {}, {0}}}, {}};
    programs.stages = {{0, {{plan::OperationKind::forward, 0, {0}, {1}}}, {}},
                       {1, {{plan::OperationKind::forward, 0, {1}, {}}}, {}}};
    programs.flows.resize(2);
    return std::make_shared<const plan::Programs>(std::move(programs));
}

plan::Start start(plan::OperationKind kind, std::int64_t step) { return {{kind, 0, {}, {}}, step}; }

}  // namespace

class UnitsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ready_stage_runs_before_a_ready_data_unit();
    void held_stage_begins_neither_next_step_nor_evaluation();
    void only_units_of_other_instances_are_awaited();
    void slots_elsewhere_counts_only_slots_at_other_instances();
};

void UnitsTest::ready_stage_runs_before_a_ready_data_unit() {
    Units units(two_stages(), 0, true);
    QVERIFY(!units.ready(0) && !units.are_finished());
    units.find(plan::data_unit)->pending = start(plan::OperationKind::load, 1);
    QCOMPARE(units.ready(0)->instance, plan::data_unit);
    units.find(0)->pending = start(plan::OperationKind::forward, 1);
    QCOMPARE(units.ready(0)->instance, 0);
    for (const auto& unit : units.all()) unit->finished = true;
    QVERIFY(units.are_finished());
}

void UnitsTest::held_stage_begins_neither_next_step_nor_evaluation() {
    Units units(two_stages(), 0, true);
    Unit& stage = *units.find(0);
    stage.pending = start(plan::OperationKind::optimizer, 3);
    QVERIFY(units.ready(3) && !units.ready(2));
    stage.pending = start(plan::OperationKind::evaluate, 3);
    QVERIFY(!units.ready(3) && units.ready(4) && units.ready(0));
    units.find(plan::data_unit)->pending = start(plan::OperationKind::load, 9);
    QCOMPARE(units.ready(3)->instance, plan::data_unit);
}

void UnitsTest::only_units_of_other_instances_are_awaited() {
    Units alone(two_stages(), 0, false), with_data(two_stages(), 0, true);
    for (Units* units : {&alone, &with_data}) QVERIFY(units->find(0)->interpreter.step(plan::Begin{}, {}));
    QVERIFY(alone.awaited_ends(false) == std::set<std::int32_t>{plan::data_unit});
    QVERIFY(alone.awaited_ends(true).empty());
    QVERIFY(with_data.awaited_ends(false).empty());
}

void UnitsTest::slots_elsewhere_counts_only_slots_at_other_instances() {
    QCOMPARE(Units(two_stages(), 0, true).slots_elsewhere(), 2);
    QCOMPARE(Units(two_stages(), plan::data_unit, true).slots_elsewhere(), 3);
    QCOMPARE(Units(two_stages(), plan::data_unit, false).slots_elsewhere(), 0);
}

DIVISI_TEST(UnitsTest)

}  // namespace units_test

#include "units_test.moc"
