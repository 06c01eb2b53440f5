// SPDX-License-Identifier: Apache-2.0

#include <random>

#include "backend/plan/checks.h"
#include "tests/support/test_program.h"
#include "tests/unit/plan/simulator.h"

namespace deadlock_test {

using namespace divisi;
using namespace divisi::plan;

namespace {

std::string text_of(const Result<void>& checked) { return checked.ok() ? "" : checked.error().message(); }

/// Generates valid and invalid plans from one seed.
class RandomPlans {
public:
    explicit RandomPlans(std::uint32_t seed) : random_(seed) {}

    Programs next() {
        const std::int32_t stages = between(2, 6), microbatches = between(1, 8);
        const Partition partition = acyclic(stages);
        RunLength length{1, 1, microbatches, one_in(3) ? 1 : 0, between(1, 4)};
        Programs programs = make_programs(partition, passes(partition, microbatches), length, one_in(4));
        std::int32_t most_slots = 1;
        const bool generous = one_in(4);
        for (Channel& channel : programs.channels) {
            if (!generous) channel.slots = between(1, 2);
            most_slots = std::max(most_slots, channel.slots);
        }
        programs.length.last_step = most_slots + 2;  // long enough for unconsumed tensors to fill their slots
        return programs;
    }

private:
    std::int32_t between(std::int32_t least, std::int32_t most) {
        return least + static_cast<std::int32_t>(random_() % static_cast<std::uint32_t>(most - least + 1));
    }
    bool one_in(std::uint32_t n) { return random_() % n == 0; }

    Partition acyclic(std::int32_t stages) {
        Partition partition;
        partition.segments.resize(static_cast<std::size_t>(stages));
        graph::ValueIndex value = 0;
        for (std::int32_t to = 0; to < stages; ++to) {
            if (to == 0 || to + 1 == stages || one_in(4)) partition.edges.push_back({value++, data_unit, to, false});
            for (std::int32_t from = 0; from < to; ++from)
                if (from == between(0, to - 1) || one_in(3)) partition.edges.push_back({value++, from, to, !one_in(8)});
        }
        if (one_in(4)) partition.shared_weights.push_back({0, {0, stages - 1}});
        return partition;
    }
    PassOrder passes(const Partition& partition, std::int32_t microbatches) {
        PassOrder order;
        if (one_in(4)) {
            order = gpipe(static_cast<std::int32_t>(partition.segments.size()), microbatches);
        } else if (one_in(2)) {
            order = one_f_one_b(depths(partition), microbatches);
        } else {  // each stage runs ahead without limit
            std::vector<std::int32_t> ahead = depths(partition);
            for (std::int32_t& passes : ahead) passes = std::max(0, passes + between(-1, 3));
            order = one_f_one_b(ahead, microbatches);
        }
        if (one_in(20)) {  // one stage also omits a pass
            auto& forgetful = order[static_cast<std::size_t>(between(0, static_cast<std::int32_t>(order.size()) - 1))];
            forgetful.erase(forgetful.begin() + between(0, static_cast<std::int32_t>(forgetful.size()) - 1));
        }
        return order;
    }

    std::mt19937 random_;
};

}  // namespace

class DeadlockTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void schedules_are_deadlock_free();
    void deadlock_cycle_is_printed();
    void order_that_no_slots_can_fix_is_reported();
    void missing_pass_is_found();
    void tensors_are_consumed_in_order();
    void check_agrees_with_simulation_on_a_thousand_plans();
};

void DeadlockTest::schedules_are_deadlock_free() {
    for (const std::string& schedule : schedule_names())
        for (std::int32_t stages = 1; stages <= 8; ++stages)
            for (const std::int32_t microbatches : {1, 2, 7, 16}) {
                const auto order = make_pass_order(schedule, stages, microbatches).value();
                const auto checked = check_deadlock(
                    make_programs(test::pipeline(stages, true), order, {1, 9, microbatches, 3, 1}, true));
                QVERIFY2(checked.ok(), text_of(checked).c_str());
            }
}

void DeadlockTest::deadlock_cycle_is_printed() {
    // A value skips from stage 0 to stage 3. Its gradient has one slot, and stage 0 still runs its warm-up forward
    // passes.
    Programs programs = make_programs(test::pipeline(4, true), one_f_one_b(4, 8), {1, 9, 8, 0, 0}, false);
    for (Channel& channel : programs.channels)
        if (channel.value == 3) channel.slots = 1;
    const std::string text = text_of(check_deadlock(programs));
    for (const char* part :
         {"waits for a tensor slot for value 3 at stage 3, which stage 3 forward 2 frees",
          "comes after stage 3 backward 1",
          "waits for a tensor slot for the gradient of value 3 at stage 0, which stage 0 backward 0 frees",
          "comes after stage 0 forward 3", "more than 1 tensor slot (split.slots)"})
        QVERIFY2(text.find(part) != std::string::npos, text.c_str());
    graph::Graph graph;
    for (int i = 0; i < 20; ++i) graph.add_value("/v" + std::to_string(i));
    QVERIFY(text_of(check_deadlock(programs, &graph)).find("'/v3'") != std::string::npos);
}

void DeadlockTest::order_that_no_slots_can_fix_is_reported() {
    // Stage 1 waits for its first gradient before it has sent what stage 2 needs.
    PassOrder order = one_f_one_b(3, 2);
    std::rotate(order[1].begin(), order[1].begin() + 2, order[1].begin() + 3);
    QVERIFY(order[1].front() == (Pass{true, 0}));
    const std::string text = text_of(check_deadlock(make_programs(test::pipeline(3, false), order, {1, 1, 2}, false)));
    for (const char* part : {"stage 1 backward 0 waits for the gradient of value 11 from stage 2 backward 0",
                             "comes after stage 2 forward 0, which waits for value 11 from stage 1 forward 0",
                             "more tensor slots do not help"})
        QVERIFY2(text.find(part) != std::string::npos, text.c_str());
}

void DeadlockTest::missing_pass_is_found() {
    PassOrder order = gpipe(3, 4);
    order[1].erase(order[1].begin());  // stage 1 omits micro-batch 0
    const std::string text = text_of(check_deadlock(make_programs(test::pipeline(3, false), order, {1, 1, 4}, false)));
    QVERIFY2(text.find("stage 2 forward 0 waits for value 11, which stage 1 never sends") != std::string::npos ||
                 text.find("stage 0 forward 0 sends value 10, which stage 1 never receives") != std::string::npos,
             text.c_str());
}

void DeadlockTest::tensors_are_consumed_in_order() {
    PassOrder order = gpipe(2, 4);
    std::swap(order[1][0], order[1][1]);
    const std::string text = text_of(check_deadlock(make_programs(test::pipeline(2, false), order, {1, 1, 4}, false)));
    QVERIFY2(text.find("stage 1 forward 0 receives value 1 after stage 1 forward 1") != std::string::npos,
             text.c_str());
}

void DeadlockTest::check_agrees_with_simulation_on_a_thousand_plans() {
    RandomPlans plans(7);
    int hanging = 0, running = 0, by_cycle = 0;
    for (int drawn = 0; hanging < 334 || running < 666; ++drawn) {  // random plans until both minimums are reached
        QVERIFY2(drawn < 5000, "too few plans of one kind are drawn");
        const Programs programs = plans.next();
        const auto checked = check_deadlock(programs);
        test::Simulator simulator(programs);
        QVERIFY2(simulator.run(), simulator.failure.c_str());
        QVERIFY2(
            checked.ok() == simulator.all_finished(),
            (std::to_string(drawn) + (checked.ok() ? ": it hangs" : ": it runs, but " + text_of(checked))).c_str());
        ++(checked.ok() ? running : hanging);
        by_cycle += text_of(checked).find("deadlocks") != std::string::npos ? 1 : 0;
    }
    qInfo("%d plans run and %d hang, %d of these by a cycle", running, hanging, by_cycle);
    QVERIFY(by_cycle >= 200);
}

DIVISI_TEST(DeadlockTest)

}  // namespace deadlock_test

#include "deadlock_test.moc"
