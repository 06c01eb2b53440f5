// SPDX-License-Identifier: Apache-2.0

#include <limits>

#include "backend/control/queue/checkpoint_interval.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/checkpoint_fixture.h"

namespace checkpoint_orders_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;
using std::chrono::seconds;

namespace {

using Steps = std::vector<std::int64_t>;
const task::CheckpointRule never{Every::never, 0, 2}, automatic{Every::automatic, 0, 2};

const std::string batch = testing::TaskFile("score")
                              .batch({"onnx", "m.onnx"})
                              .replace("data", {{"kind", "csv"}, {"path", "a.csv"}, {"targets", {"price"}}})
                              .text();

task::CheckpointRule every_seconds(std::int64_t count) { return {Every::seconds, count, 2}; }

/// A cluster of one node, so that a commit needs no copies, and with a clock that ticks.
struct OrderFixture : CheckpointFixture {
    explicit OrderFixture(task::CheckpointRule rule) : CheckpointFixture(1, rule) {}

    void wait(Duration time) {
        for (const TimePoint end = now + time; now < end;) {
            pass(std::min<Duration>(heartbeat_interval, end - now));
            checkpoints.check_deadlines();
        }
    }
    /// Returns the steps whose snapshots were ordered since the fixture was cleared. Both stages must have the same
    /// orders.
    Steps ordered() {
        std::map<PeerId, Steps> each;
        for (const auto& [peer, order] : sent<TakeSnapshot>()) each[peer].push_back(order.step);
        if (each.empty()) return {};
        if (each.size() != 2 || each.begin()->second != each.rbegin()->second) qFatal("the stages' orders differ");
        return each.begin()->second;
    }
    /// Returns the steps after which stages were told to hold since the fixture was cleared; 0: to resume. Both stages
    /// must have the same orders.
    Steps stands() {
        std::map<PeerId, Steps> each;
        for (const auto& [peer, hold] : sent<HoldSteps>()) each[peer].push_back(hold.after);
        if (each.empty()) return {};
        if (each.size() != 2 || each.begin()->second != each.rbegin()->second) qFatal("the stages' orders differ");
        return each.begin()->second;
    }
    std::string refused;
    /// Lets a client order a checkpoint. Returns the step in the answer, or -1 with the reason in `refused`.
    std::int64_t ask(const TaskId& task = the_task) {
        clear();
        const auto ordered = checkpoints.order(task);
        refused = ordered ? "" : ordered.error().what;
        return ordered ? *ordered : -1;
    }
};

}  // namespace

/// Tests the times and the steps of ordered snapshots.
class CheckpointOrdersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void client_gets_the_step_of_its_checkpoint();
    void order_works_with_any_checkpoint_rule();
    void second_order_joins_the_first();
    void impossible_orders_are_refused();
    void order_that_is_too_late_is_repeated_further_ahead();
    void orders_are_given_up_if_always_too_late();
    void ordered_step_is_further_ahead_if_steps_are_short();
    void checkpoints_follow_a_rule_in_seconds();
    void next_order_waits_for_the_pending_checkpoint();
    void nothing_is_ordered_unless_the_task_trains();
    void nothing_is_ordered_near_the_end();
    void disconnected_stage_delays_orders();
    void automatic_rule_starts_early_and_follows_youngs_formula();
    void more_faults_shorten_the_interval();
    void nonsensical_copy_times_are_tolerated();
    void recovery_restarts_the_interval();
    void orders_resume_after_a_restart();
    void stages_are_held_at_the_last_step();
    void later_last_step_is_chosen_if_a_stage_missed_it();
    void last_step_before_a_hold_is_not_a_step_of_the_rule();
    void last_step_before_a_hold_is_not_an_ordered_checkpoint_step();
    void later_hold_is_ordered_if_all_stages_passed_the_first();
    void hold_is_released_if_no_snapshot_is_possible();
    void next_generation_is_not_held();
    void hold_is_released_while_a_stage_is_away();
};

void CheckpointOrdersTest::client_gets_the_step_of_its_checkpoint() {
    OrderFixture fixture({Every::steps, 100, 2});
    fixture.step(7);
    QCOMPARE(fixture.ask(), std::int64_t{9});
    QCOMPARE(fixture.ordered(), Steps{9});
    const TakeSnapshot order = fixture.sent<TakeSnapshot>()[0].second;
    QVERIFY(order.task == the_task && order.generation == 1);
    fixture.take_all(9, 10);
    QCOMPARE(fixture.committed(), Steps{9});
    QCOMPARE(fixture.ask(), std::int64_t{11});  // step 7 is still the last reported one
}

void CheckpointOrdersTest::order_works_with_any_checkpoint_rule() {
    OrderFixture fixture(never);
    QCOMPARE(fixture.ask(), std::int64_t{2});
    fixture.take_all(2, 10);
    QCOMPARE(fixture.committed(), Steps{2});
    fixture.wait(seconds(1000));
    QCOMPARE(fixture.ordered(), Steps{2});
    QVERIFY(!fixture.checkpoints.next_deadline());
}

void CheckpointOrdersTest::second_order_joins_the_first() {
    OrderFixture fixture(never);
    fixture.step(7);
    QCOMPARE(fixture.ask(), std::int64_t{9});
    fixture.step(8);
    QCOMPARE(fixture.ask(), std::int64_t{9});
    QVERIFY(fixture.ordered().empty());
    fixture.step(9);  // the snapshots of step 9 are being written, so the next order names a later step
    QCOMPARE(fixture.ask(), std::int64_t{11});
}

void CheckpointOrdersTest::impossible_orders_are_refused() {
    OrderFixture fixture(never);
    const auto why = [&](const TaskId& task = the_task) {
        (void)fixture.ask(task);
        return fixture.refused;
    };
    QCOMPARE(why(TaskId("t-9")), std::string("no such task"));
    fixture.submit(TaskId("score-1"), never, batch);
    QCOMPARE(why(TaskId("score-1")), std::string("a batch trains no weights, so it has no checkpoints"));
    fixture.step(998);
    QCOMPARE(why(), std::string("the task ends before a checkpoint can be made"));
    fixture.step(997);
    QCOMPARE(why(), std::string());
    fixture.context.append(PhaseChanged{the_task, TaskPhase::exception, "a node is away"});
    QVERIFY(QString::fromStdString(why()).startsWith("the task does not train now"));
    fixture.context.append(TaskEnded{the_task, Outcome::stopped, {}});
    QVERIFY(QString::fromStdString(why()).startsWith("the task does not train now"));
    QVERIFY(fixture.sent<TakeSnapshot>().empty());
}

void CheckpointOrdersTest::order_that_is_too_late_is_repeated_further_ahead() {
    OrderFixture fixture(never);
    fixture.step(10);
    QCOMPARE(fixture.ask(), std::int64_t{12});
    fixture.clear();
    fixture.take(0, 12, 20);
    fixture.miss(1, 12, ErrorCode::conflict);
    QCOMPARE(fixture.ordered(), Steps{14});
    // The snapshot that one stage has already written is dropped. No warning is logged, since the next order follows at
    // once.
    QCOMPARE(fixture.dropped().at(PeerId(1)), std::set<std::string>{blob(20)});
    QVERIFY(fixture.warnings().empty());
    fixture.clear();
    fixture.miss(0, 12, ErrorCode::conflict);  // answers the previous order
    QVERIFY(fixture.ordered().empty());
    fixture.take_all(14, 30);
    QCOMPARE(fixture.committed(), Steps{14});
    fixture.step(20);
    QCOMPARE(fixture.ask(), std::int64_t{24});  // the longer lead is remembered
}

void CheckpointOrdersTest::orders_are_given_up_if_always_too_late() {
    OrderFixture fixture(never);
    fixture.step(10);
    std::int64_t step = fixture.ask();
    int orders = 0;
    for (bool more = true; more; ++orders) {
        fixture.clear();
        fixture.miss(0, step, ErrorCode::conflict);
        more = !fixture.ordered().empty();
        if (more) step = fixture.ordered().front();
    }
    QCOMPARE(orders, 7);  // 2, 4, ... 128 steps ahead
    QCOMPARE(step, std::int64_t{10} + 128);
    QCOMPARE(fixture.warnings().size(), std::size_t{1});
    QVERIFY(QString::fromStdString(fixture.warnings()[0]).contains("128 steps ahead"));
}

void CheckpointOrdersTest::ordered_step_is_further_ahead_if_steps_are_short() {
    OrderFixture fixture(never);
    for (int step = 1; step <= 10; ++step) fixture.step(step, 8.0);
    QCOMPARE(fixture.ask(), std::int64_t{10 + 13});  // 13 steps of 8 ms are 100 ms
}

void CheckpointOrdersTest::checkpoints_follow_a_rule_in_seconds() {
    OrderFixture fixture(every_seconds(30));
    fixture.step(5);
    fixture.wait(seconds(29));
    QVERIFY(fixture.ordered().empty());
    QCOMPARE(*fixture.checkpoints.next_deadline(), fixture.context.lived() + seconds(1));
    fixture.wait(seconds(1));
    QCOMPARE(fixture.ordered(), Steps{7});
    fixture.step(7);
    fixture.take_all(7, 10);
    QCOMPARE(fixture.committed(), Steps{7});
    fixture.clear();
    fixture.wait(seconds(29));
    QVERIFY(fixture.ordered().empty());
    fixture.wait(seconds(1));
    QCOMPARE(fixture.ordered(), Steps{9});
}

void CheckpointOrdersTest::next_order_waits_for_the_pending_checkpoint() {
    OrderFixture fixture(every_seconds(5));
    fixture.step(1);
    fixture.wait(seconds(5));
    QCOMPARE(fixture.ordered(), Steps{3});
    QVERIFY(!fixture.checkpoints.next_deadline());
    fixture.wait(seconds(600));  // the steps seem to take this long
    QCOMPARE(fixture.ordered(), Steps{3});
    fixture.step(3);
    fixture.take(0, 3, 10);
    fixture.wait(order_patience - seconds(1));
    QCOMPARE(fixture.ordered(), Steps{3});
    fixture.wait(seconds(1));
    QCOMPARE(fixture.ordered(), (Steps{3, 5}));
    // A checkpoint that arrives late is still committed.
    fixture.take(1, 3, 11);
    QCOMPARE(fixture.committed(), Steps{3});
    QVERIFY(!fixture.checkpoints.next_deadline());
    fixture.take_all(5, 20);
    QVERIFY(fixture.checkpoints.next_deadline().has_value());
}

void CheckpointOrdersTest::nothing_is_ordered_unless_the_task_trains() {
    OrderFixture fixture(every_seconds(5));
    fixture.context.append(PhaseChanged{the_task, TaskPhase::exception, "a node is away"});
    QVERIFY(!fixture.checkpoints.next_deadline());
    fixture.wait(seconds(60));
    QVERIFY(fixture.ordered().empty());
    fixture.context.append(PhaseChanged{the_task, TaskPhase::exchange, ""});
    fixture.wait(heartbeat_interval);
    QCOMPARE(fixture.ordered(), Steps{2});
}

void CheckpointOrdersTest::nothing_is_ordered_near_the_end() {
    OrderFixture fixture(every_seconds(5));
    fixture.step(998);
    fixture.wait(seconds(60));
    QVERIFY(fixture.ordered().empty());
    QVERIFY(!fixture.checkpoints.next_deadline());
    fixture.submit(TaskId("score-1"), every_seconds(5), batch);
    fixture.wait(seconds(60));
    QVERIFY(fixture.ordered().empty());
}

void CheckpointOrdersTest::disconnected_stage_delays_orders() {
    OrderFixture fixture(every_seconds(30));
    const PeerId peer = *fixture.context.sessions().of(fixture.instance(1));
    (void)fixture.context.sessions().close(peer);
    fixture.wait(seconds(60));
    QVERIFY(fixture.ordered().empty());
    QCOMPARE(fixture.ask(), std::int64_t{-1});
    QCOMPARE(fixture.refused, std::string("a stage is away"));
    fixture.place(the_task, 1, node_a);
    fixture.clear();
    fixture.wait(shortest_checkpoint_interval);
    QCOMPARE(fixture.ordered(), Steps{2});
}

void CheckpointOrdersTest::automatic_rule_starts_early_and_follows_youngs_formula() {
    OrderFixture fixture(automatic);
    fixture.step(1);
    fixture.wait(first_checkpoint);
    QCOMPARE(fixture.ordered(), Steps{3});
    fixture.step(3);
    fixture.take(0, 3, 10, 2.0);
    fixture.take(1, 3, 11, 8.0);
    QCOMPARE(fixture.committed(), Steps{3});
    // One node without faults: sqrt(2 * 0.008 s * 604,800 s) = 98.4 s after the order. 8 ms is the longer copy time of
    // the two stages.
    const Duration interval = checkpoint_interval(std::chrono::milliseconds(8),
                                                  mean_time_between_faults({NodeFaults{}}, fixture.context.now()));
    QCOMPARE(interval / seconds(1), 98);
    QCOMPARE(*fixture.checkpoints.next_deadline(), fixture.context.lived() + interval);
    fixture.clear();
    fixture.wait(seconds(98));
    QVERIFY(fixture.ordered().empty());
    fixture.wait(seconds(1));
    QCOMPARE(fixture.ordered(), Steps{5});
}

void CheckpointOrdersTest::more_faults_shorten_the_interval() {
    const auto next = [](int failures) {
        OrderFixture fixture(automatic);
        for (int i = 0; i < failures; ++i) {
            fixture.context.append(InstanceChanged{fixture.instance(0), InstanceState::running, ""});
            fixture.context.append(InstanceChanged{fixture.instance(0), InstanceState::failed, "it fails"});
        }
        fixture.wait(first_checkpoint);
        fixture.take(0, 2, 10, 50.0);
        fixture.take(1, 2, 11, 50.0);
        return *fixture.checkpoints.next_deadline() - fixture.context.lived();
    };
    const Duration none = next(0), some = next(4), many = next(20);
    QVERIFY(none > some && some > many && many >= shortest_checkpoint_interval);
}

void CheckpointOrdersTest::nonsensical_copy_times_are_tolerated() {
    for (const double copy_ms :
         {-1.0, std::numeric_limits<double>::quiet_NaN(), 0.0, std::numeric_limits<double>::infinity(), 1e300}) {
        OrderFixture fixture(automatic);
        fixture.wait(first_checkpoint);
        fixture.take(0, 2, 10, copy_ms);
        fixture.take(1, 2, 11, copy_ms);
        const Duration left = *fixture.checkpoints.next_deadline() - fixture.context.lived();
        QVERIFY(left >= shortest_checkpoint_interval && left <= longest_checkpoint_interval);
    }
}

void CheckpointOrdersTest::recovery_restarts_the_interval() {
    OrderFixture fixture(every_seconds(30));
    fixture.step(5);
    fixture.wait(seconds(30));
    QCOMPARE(fixture.ordered(), Steps{7});
    fixture.recover(0);
    fixture.clear();
    QCOMPARE(*fixture.checkpoints.next_deadline(), fixture.context.lived() + seconds(30));
    fixture.wait(seconds(30));
    const auto orders = fixture.sent<TakeSnapshot>();
    QCOMPARE(orders.size(), std::size_t{2});
    QCOMPARE(orders[0].second.step, std::int64_t{2});
    QCOMPARE(orders[0].second.generation, Generation{2});
}

void CheckpointOrdersTest::orders_resume_after_a_restart() {
    OrderFixture fixture(every_seconds(30));
    fixture.wait(seconds(10));
    Checkpoints after(fixture.context, fixture.transfers);
    QVERIFY(!after.next_deadline());
    after.adopt();
    QCOMPARE(*after.next_deadline(), fixture.context.lived() + seconds(30));
}

void CheckpointOrdersTest::stages_are_held_at_the_last_step() {
    OrderFixture fixture({Every::steps, 100, 2});
    fixture.step(7);
    QVERIFY(!fixture.checkpoints.last_step(the_task));
    QCOMPARE(fixture.checkpoints.order_last(the_task).value(), std::int64_t{9});
    QCOMPARE(fixture.checkpoints.last_step(the_task), std::optional<std::int64_t>(9));
    QCOMPARE(fixture.stands(), Steps{9});
    QCOMPARE(fixture.ordered(), Steps{9});
    fixture.step(9);
    QVERIFY(fixture.checkpoints.taken(the_task).empty());
    fixture.take(0, 9, 10);
    QCOMPARE(fixture.checkpoints.last_step(the_task), std::optional<std::int64_t>(9));
    QCOMPARE(fixture.checkpoints.taken(the_task).size(), std::size_t{1});
    QCOMPARE(fixture.checkpoints.taken(the_task)[0].stage, std::int32_t{0});
    fixture.take(1, 9, 11);
    QVERIFY(fixture.checkpoints.taken(the_task).empty());  // the snapshots are committed
    QCOMPARE(fixture.committed(), Steps{9});
    QCOMPARE(fixture.checkpoints.last_step(the_task), std::optional<std::int64_t>(9));
    fixture.wait(seconds(600));
    QCOMPARE(fixture.stands(), Steps{9});  // the hold lasts until its owner releases it
    // A checkpoint ordered by a client does not end the hold.
    QCOMPARE(fixture.ask(), std::int64_t{9});
    QVERIFY(fixture.stands().empty());
    fixture.clear();
    fixture.checkpoints.let_go(the_task);
    QCOMPARE(fixture.stands(), Steps{0});
    QVERIFY(!fixture.checkpoints.last_step(the_task));
}

void CheckpointOrdersTest::later_last_step_is_chosen_if_a_stage_missed_it() {
    OrderFixture fixture(never);
    fixture.step(7);
    QCOMPARE(fixture.checkpoints.order_last(the_task).value(), std::int64_t{9});
    fixture.take(0, 9, 10);
    fixture.miss(1, 9, ErrorCode::conflict);
    QCOMPARE(fixture.stands(), (Steps{9, 11}));
    QCOMPARE(fixture.ordered(), (Steps{9, 11}));
    QCOMPARE(fixture.checkpoints.last_step(the_task), std::optional<std::int64_t>(11));
    fixture.take_all(11, 20);
    QCOMPARE(fixture.committed(), Steps{11});
}

/// The checkpoint rule makes stages take a snapshot after every counted step, even if an order for that step comes too
/// late. They would then hold at another step. The last step before a hold must therefore not be a counted step.
void CheckpointOrdersTest::last_step_before_a_hold_is_not_a_step_of_the_rule() {
    OrderFixture fixture({Every::steps, 5, 2});
    fixture.step(8);
    QCOMPARE(fixture.ask(), std::int64_t{10});  // if no hold is required, a counted step is suitable
    fixture.clear();
    QCOMPARE(fixture.checkpoints.order_last(the_task).value(), std::int64_t{11});
    QCOMPARE(fixture.stands(), Steps{11});
    QCOMPARE(fixture.ordered(), Steps{11});
    fixture.miss(1, 11, ErrorCode::conflict);
    QCOMPARE(fixture.stands(), (Steps{11, 12}));
    // If every step is counted, no other step is possible.
    OrderFixture all({Every::steps, 1, 2});
    all.step(8);
    QCOMPARE(all.checkpoints.order_last(the_task).value(), std::int64_t{10});
    // Choosing the step after the counted one does not help if that is the last step of the task.
    OrderFixture late({Every::steps, 999, 2});
    late.step(997);
    QCOMPARE(late.checkpoints.order_last(the_task).error().code, ErrorCode::conflict);
    QVERIFY(!late.checkpoints.last_step(the_task));
}

/// A stage that has done an already ordered step has its snapshot. If a hold then names that step, the stage would
/// continue without a report that the hold comes too late.
void CheckpointOrdersTest::last_step_before_a_hold_is_not_an_ordered_checkpoint_step() {
    OrderFixture fixture(never);
    fixture.step(7);
    QCOMPARE(fixture.ask(), std::int64_t{9});
    fixture.clear();
    QCOMPARE(fixture.checkpoints.order_last(the_task).value(), std::int64_t{10});
    QCOMPARE(fixture.stands(), Steps{10});
    fixture.take_all(9, 10);
    QCOMPARE(fixture.committed(), Steps{9});
    QCOMPARE(fixture.checkpoints.last_step(the_task), std::optional<std::int64_t>(10));
    fixture.take_all(10, 20);
    QCOMPARE(fixture.committed(), (Steps{9, 10}));
    // A step of which a stage has already reported a snapshot is not chosen either.
    OrderFixture ahead(never);
    ahead.step(7);
    ahead.take(0, 9, 10);
    QCOMPARE(ahead.checkpoints.order_last(the_task).value(), std::int64_t{10});
}

/// If every step is counted, no stage reports that an order came too late. Stages report snapshots of a later step
/// instead, so the ordered step is useless.
void CheckpointOrdersTest::later_hold_is_ordered_if_all_stages_passed_the_first() {
    CheckpointFixture fixture(3, {Every::steps, 1, 2});
    fixture.step(8);
    QCOMPARE(fixture.checkpoints.order_last(the_task).value(), std::int64_t{10});
    fixture.take_all(9, 20);  // the copies of step 9 are in progress
    fixture.take_all(10, 30);
    QCOMPARE(fixture.checkpoints.last_step(the_task), std::optional<std::int64_t>(10));
    fixture.take(0, 11, 40);
    QCOMPARE(fixture.checkpoints.last_step(the_task), std::optional<std::int64_t>(10));
    fixture.take(1, 11, 41);
    QCOMPARE(fixture.checkpoints.last_step(the_task), std::optional<std::int64_t>(11));
    fixture.end_copies();
    QCOMPARE(fixture.committed(), (Steps{9, 11}));
    QCOMPARE(fixture.checkpoints.last_step(the_task), std::optional<std::int64_t>(11));
    for (const auto& [peer, hold] : fixture.sent<HoldSteps>()) QCOMPARE(hold.after, std::int64_t{10});
}

void CheckpointOrdersTest::hold_is_released_if_no_snapshot_is_possible() {
    OrderFixture fixture(never);
    fixture.step(7);
    (void)fixture.checkpoints.order_last(the_task);
    fixture.miss(1, 9);  // the disk of stage 1 is full
    QCOMPARE(fixture.stands(), (Steps{9, 0}));
    QVERIFY(!fixture.checkpoints.last_step(the_task));
    fixture.step(998);
    QCOMPARE(fixture.checkpoints.order_last(the_task).error().code, ErrorCode::conflict);
    QVERIFY(!fixture.checkpoints.last_step(the_task));
}

void CheckpointOrdersTest::next_generation_is_not_held() {
    OrderFixture fixture(never);
    fixture.step(7);
    (void)fixture.checkpoints.order_last(the_task);
    fixture.recover(0);
    QVERIFY(!fixture.checkpoints.last_step(the_task));
    fixture.clear();
    fixture.checkpoints.let_go(the_task);
    QVERIFY(fixture.stands().empty());
}

/// Stage 1 is away, and its hold ended with its connection. The task waits for it.
void CheckpointOrdersTest::hold_is_released_while_a_stage_is_away() {
    OrderFixture fixture(never);
    fixture.step(7);
    (void)fixture.checkpoints.order_last(the_task);
    (void)fixture.context.sessions().close(*fixture.context.sessions().of(fixture.instance(1)));
    fixture.context.append(PhaseChanged{the_task, TaskPhase::exception, "waits for instance t-1/stage-1/0#1"});
    fixture.clear();
    fixture.checkpoints.let_go(the_task);
    const auto told = fixture.sent<HoldSteps>();
    QCOMPARE(told.size(), std::size_t{1});
    QCOMPARE(told[0].first, *fixture.context.sessions().of(fixture.instance(0)));
    QCOMPARE(told[0].second.after, std::int64_t{0});
}

DIVISI_TEST(CheckpointOrdersTest)

}  // namespace checkpoint_orders_test

#include "checkpoint_orders_test.moc"
