// SPDX-License-Identifier: Apache-2.0

#include <limits>

#include "backend/control/queue/checkpoint_interval.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/checkpoint_floor.h"

namespace checkpoint_orders_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;
using std::chrono::seconds;

namespace {

using Steps = std::vector<std::int64_t>;
const task::CheckpointRule never{Every::never, 0, 2}, automatic{Every::automatic, 0, 2};

constexpr const char* batch = R"([task]
name = "score"
kind = "batch"
[model]
onnx = "m.onnx"
[data]
kind = "csv"
path = "a.csv"
targets = ["price"]
)";

task::CheckpointRule every_seconds(std::int64_t count) { return {Every::seconds, count, 2}; }

/// A cluster of one node, so that a commit needs no copies, and with a clock that ticks.
struct OrderFloor : CheckpointFloor {
    explicit OrderFloor(task::CheckpointRule rule) : CheckpointFloor(1, rule) {}

    void wait(Duration time) {
        for (const TimePoint end = now + time; now < end;) {
            pass(std::min<Duration>(heartbeat_interval, end - now));
            checkpoints.check_deadlines();
        }
    }
    /// Returns the steps whose snapshots were ordered since the floor was cleared. Both stages must have the same
    /// orders.
    Steps ordered() {
        std::map<PeerId, Steps> each;
        for (const auto& [peer, order] : sent<TakeSnapshot>()) each[peer].push_back(order.step);
        if (each.empty()) return {};
        if (each.size() != 2 || each.begin()->second != each.rbegin()->second) qFatal("not both stages were told");
        return each.begin()->second;
    }
    /// Returns the steps after which stages were told to hold since the floor was cleared; 0: to resume. Both stages
    /// must have the same orders.
    Steps stands() {
        std::map<PeerId, Steps> each;
        for (const auto& [peer, hold] : sent<HoldSteps>()) each[peer].push_back(hold.after);
        if (each.empty()) return {};
        if (each.size() != 2 || each.begin()->second != each.rbegin()->second) qFatal("not both stages were told");
        return each.begin()->second;
    }
    /// Lets a client order a checkpoint. Returns the step in the answer, or -1 with the reason in `refused`.
    std::string refused;
    std::int64_t ask(const TaskId& task = the_task) {
        clear();
        const auto ordered = checkpoints.order(task);
        refused = ordered ? "" : ordered.error().what;
        return ordered ? *ordered : -1;
    }
};

}  // namespace

/// Tests when snapshots are ordered, and of which step.
class CheckpointOrdersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void client_gets_the_step_of_its_checkpoint();
    void order_works_with_any_checkpoint_rule();
    void second_order_joins_the_first();
    void impossible_orders_are_refused();
    void order_that_is_too_late_is_repeated_further_ahead();
    void orders_are_given_up_if_always_too_late();
    void short_steps_are_ordered_further_ahead();
    void checkpoints_follow_a_rule_in_seconds();
    void next_order_waits_for_the_pending_checkpoint();
    void nothing_is_ordered_unless_the_task_trains();
    void nothing_is_ordered_near_the_end();
    void disconnected_stage_delays_orders();
    void automatic_rule_starts_early_and_follows_young();
    void more_faults_shorten_the_interval();
    void nonsensical_copy_times_are_tolerated();
    void recovery_restarts_the_interval();
    void orders_resume_after_a_restart();
    void stages_hold_at_the_last_step();
    void missed_last_step_is_moved();
    void last_step_is_not_a_counted_one();
    void last_step_is_not_an_already_ordered_one();
    void stages_that_all_passed_the_hold_stand_later();
    void hold_is_released_if_no_snapshot_is_possible();
    void next_generation_is_not_held();
    void hold_is_released_while_a_stage_is_away();
};

void CheckpointOrdersTest::client_gets_the_step_of_its_checkpoint() {
    OrderFloor floor({Every::steps, 100, 2});
    floor.step(7);
    QCOMPARE(floor.ask(), std::int64_t{9});
    QCOMPARE(floor.ordered(), Steps{9});
    const TakeSnapshot order = floor.sent<TakeSnapshot>()[0].second;
    QVERIFY(order.task == the_task && order.generation == 1);
    floor.take_all(9, 10);
    QCOMPARE(floor.committed(), Steps{9});
    QCOMPARE(floor.ask(), std::int64_t{11});  // step 7 is still the last reported one
}

void CheckpointOrdersTest::order_works_with_any_checkpoint_rule() {
    OrderFloor floor(never);
    QCOMPARE(floor.ask(), std::int64_t{2});
    floor.take_all(2, 10);
    QCOMPARE(floor.committed(), Steps{2});
    floor.wait(seconds(1000));
    QCOMPARE(floor.ordered(), Steps{2});
    QVERIFY(!floor.checkpoints.next_deadline());
}

void CheckpointOrdersTest::second_order_joins_the_first() {
    OrderFloor floor(never);
    floor.step(7);
    QCOMPARE(floor.ask(), std::int64_t{9});
    floor.step(8);
    QCOMPARE(floor.ask(), std::int64_t{9});
    QVERIFY(floor.ordered().empty());
    floor.step(9);  // the snapshots of step 9 are being written, so the next order names a later step
    QCOMPARE(floor.ask(), std::int64_t{11});
}

void CheckpointOrdersTest::impossible_orders_are_refused() {
    OrderFloor floor(never);
    const auto why = [&](const TaskId& task = the_task) {
        (void)floor.ask(task);
        return floor.refused;
    };
    QCOMPARE(why(TaskId("t-9")), std::string("no such task"));
    floor.submit(TaskId("score-1"), never, batch);
    QCOMPARE(why(TaskId("score-1")), std::string("a batch learns nothing that could be kept"));
    floor.step(998);
    QCOMPARE(why(), std::string("the task ends before a checkpoint can be made"));
    floor.step(997);
    QCOMPARE(why(), std::string());
    floor.desk.append(PhaseChanged{the_task, TaskPhase::exception, "a node is away"});
    QVERIFY(QString::fromStdString(why()).startsWith("the task does not train now"));
    floor.desk.append(TaskEnded{the_task, Outcome::stopped, {}});
    QVERIFY(QString::fromStdString(why()).startsWith("the task does not train now"));
    QVERIFY(floor.sent<TakeSnapshot>().empty());
}

void CheckpointOrdersTest::order_that_is_too_late_is_repeated_further_ahead() {
    OrderFloor floor(never);
    floor.step(10);
    QCOMPARE(floor.ask(), std::int64_t{12});
    floor.clear();
    floor.take(0, 12, 20);
    floor.miss(1, 12, ErrorCode::conflict);
    QCOMPARE(floor.ordered(), Steps{14});
    // The snapshot that one stage has written is dropped. There is no warning, since the next order follows at once.
    QCOMPARE(floor.dropped().at(PeerId(1)), std::set<std::string>{blob(20)});
    QVERIFY(floor.warnings().empty());
    floor.clear();
    floor.miss(0, 12, ErrorCode::conflict);  // answers the previous order
    QVERIFY(floor.ordered().empty());
    floor.take_all(14, 30);
    QCOMPARE(floor.committed(), Steps{14});
    floor.step(20);
    QCOMPARE(floor.ask(), std::int64_t{24});  // the longer lead is remembered
}

void CheckpointOrdersTest::orders_are_given_up_if_always_too_late() {
    OrderFloor floor(never);
    floor.step(10);
    std::int64_t step = floor.ask();
    int orders = 0;
    for (bool more = true; more; ++orders) {
        floor.clear();
        floor.miss(0, step, ErrorCode::conflict);
        more = !floor.ordered().empty();
        if (more) step = floor.ordered().front();
    }
    QCOMPARE(orders, 7);  // 2, 4, ... 128 steps ahead
    QCOMPARE(step, std::int64_t{10} + 128);
    QCOMPARE(floor.warnings().size(), std::size_t{1});
    QVERIFY(QString::fromStdString(floor.warnings()[0]).contains("128 steps ahead"));
}

void CheckpointOrdersTest::short_steps_are_ordered_further_ahead() {
    OrderFloor floor(never);
    for (int step = 1; step <= 10; ++step) floor.step(step, 8.0);
    QCOMPARE(floor.ask(), std::int64_t{10 + 13});  // 13 steps of 8 ms are 100 ms
}

void CheckpointOrdersTest::checkpoints_follow_a_rule_in_seconds() {
    OrderFloor floor(every_seconds(30));
    floor.step(5);
    floor.wait(seconds(29));
    QVERIFY(floor.ordered().empty());
    QCOMPARE(*floor.checkpoints.next_deadline(), floor.desk.lived() + seconds(1));
    floor.wait(seconds(1));
    QCOMPARE(floor.ordered(), Steps{7});
    floor.step(7);
    floor.take_all(7, 10);
    QCOMPARE(floor.committed(), Steps{7});
    floor.clear();
    floor.wait(seconds(29));
    QVERIFY(floor.ordered().empty());
    floor.wait(seconds(1));
    QCOMPARE(floor.ordered(), Steps{9});
}

void CheckpointOrdersTest::next_order_waits_for_the_pending_checkpoint() {
    OrderFloor floor(every_seconds(5));
    floor.step(1);
    floor.wait(seconds(5));
    QCOMPARE(floor.ordered(), Steps{3});
    QVERIFY(!floor.checkpoints.next_deadline());
    floor.wait(seconds(600));  // as if steps were this long
    QCOMPARE(floor.ordered(), Steps{3});
    floor.step(3);
    floor.take(0, 3, 10);
    floor.wait(order_patience - seconds(1));
    QCOMPARE(floor.ordered(), Steps{3});
    floor.wait(seconds(1));
    QCOMPARE(floor.ordered(), (Steps{3, 5}));
    // A late checkpoint is still committed.
    floor.take(1, 3, 11);
    QCOMPARE(floor.committed(), Steps{3});
    QVERIFY(!floor.checkpoints.next_deadline());
    floor.take_all(5, 20);
    QVERIFY(floor.checkpoints.next_deadline().has_value());
}

void CheckpointOrdersTest::nothing_is_ordered_unless_the_task_trains() {
    OrderFloor floor(every_seconds(5));
    floor.desk.append(PhaseChanged{the_task, TaskPhase::exception, "a node is away"});
    QVERIFY(!floor.checkpoints.next_deadline());
    floor.wait(seconds(60));
    QVERIFY(floor.ordered().empty());
    floor.desk.append(PhaseChanged{the_task, TaskPhase::exchange, ""});
    floor.wait(heartbeat_interval);
    QCOMPARE(floor.ordered(), Steps{2});
}

void CheckpointOrdersTest::nothing_is_ordered_near_the_end() {
    OrderFloor floor(every_seconds(5));
    floor.step(998);
    floor.wait(seconds(60));
    QVERIFY(floor.ordered().empty());
    QVERIFY(!floor.checkpoints.next_deadline());
    floor.submit(TaskId("score-1"), every_seconds(5), batch);
    floor.wait(seconds(60));
    QVERIFY(floor.ordered().empty());
}

void CheckpointOrdersTest::disconnected_stage_delays_orders() {
    OrderFloor floor(every_seconds(30));
    const PeerId peer = *floor.desk.sessions().of(floor.instance(1));
    (void)floor.desk.sessions().close(peer);
    floor.wait(seconds(60));
    QVERIFY(floor.ordered().empty());
    QCOMPARE(floor.ask(), std::int64_t{-1});
    QCOMPARE(floor.refused, std::string("a stage is away"));
    floor.place(the_task, 1, node_a);
    floor.clear();
    floor.wait(shortest_checkpoint_interval);
    QCOMPARE(floor.ordered(), Steps{2});
}

void CheckpointOrdersTest::automatic_rule_starts_early_and_follows_young() {
    OrderFloor floor(automatic);
    floor.step(1);
    floor.wait(first_checkpoint);
    QCOMPARE(floor.ordered(), Steps{3});
    floor.step(3);
    floor.take(0, 3, 10, 2.0);
    floor.take(1, 3, 11, 8.0);
    QCOMPARE(floor.committed(), Steps{3});
    // One node without faults: sqrt(2 * 0.008 s * 604,800 s) = 98.4 s after the order. 8 ms is the longer copy time of
    // the two stages.
    const Duration interval =
        checkpoint_interval(std::chrono::milliseconds(8), mean_time_between_faults({NodeFaults{}}, floor.desk.now()));
    QCOMPARE(interval / seconds(1), 98);
    QCOMPARE(*floor.checkpoints.next_deadline(), floor.desk.lived() + interval);
    floor.clear();
    floor.wait(seconds(98));
    QVERIFY(floor.ordered().empty());
    floor.wait(seconds(1));
    QCOMPARE(floor.ordered(), Steps{5});
}

void CheckpointOrdersTest::more_faults_shorten_the_interval() {
    const auto next = [](int failures) {
        OrderFloor floor(automatic);
        for (int i = 0; i < failures; ++i) {
            floor.desk.append(InstanceChanged{floor.instance(0), InstanceState::running, ""});
            floor.desk.append(InstanceChanged{floor.instance(0), InstanceState::failed, "it fails"});
        }
        floor.wait(first_checkpoint);
        floor.take(0, 2, 10, 50.0);
        floor.take(1, 2, 11, 50.0);
        return *floor.checkpoints.next_deadline() - floor.desk.lived();
    };
    const Duration none = next(0), some = next(4), many = next(20);
    QVERIFY(none > some && some > many && many >= shortest_checkpoint_interval);
}

void CheckpointOrdersTest::nonsensical_copy_times_are_tolerated() {
    for (const double copy_ms :
         {-1.0, std::numeric_limits<double>::quiet_NaN(), 0.0, std::numeric_limits<double>::infinity(), 1e300}) {
        OrderFloor floor(automatic);
        floor.wait(first_checkpoint);
        floor.take(0, 2, 10, copy_ms);
        floor.take(1, 2, 11, copy_ms);
        const Duration left = *floor.checkpoints.next_deadline() - floor.desk.lived();
        QVERIFY(left >= shortest_checkpoint_interval && left <= longest_checkpoint_interval);
    }
}

void CheckpointOrdersTest::recovery_restarts_the_interval() {
    OrderFloor floor(every_seconds(30));
    floor.step(5);
    floor.wait(seconds(30));
    QCOMPARE(floor.ordered(), Steps{7});
    floor.recover(0);
    floor.clear();
    QCOMPARE(*floor.checkpoints.next_deadline(), floor.desk.lived() + seconds(30));
    floor.wait(seconds(30));
    const auto orders = floor.sent<TakeSnapshot>();
    QCOMPARE(orders.size(), std::size_t{2});
    QCOMPARE(orders[0].second.step, std::int64_t{2});
    QCOMPARE(orders[0].second.generation, Generation{2});
}

void CheckpointOrdersTest::orders_resume_after_a_restart() {
    OrderFloor floor(every_seconds(30));
    floor.wait(seconds(10));
    Checkpoints after(floor.desk, floor.transfers);
    QVERIFY(!after.next_deadline());
    after.adopt();
    QCOMPARE(*after.next_deadline(), floor.desk.lived() + seconds(30));
}

void CheckpointOrdersTest::stages_hold_at_the_last_step() {
    OrderFloor floor({Every::steps, 100, 2});
    floor.step(7);
    QVERIFY(!floor.checkpoints.last_step(the_task));
    QCOMPARE(floor.checkpoints.order_last(the_task).value(), std::int64_t{9});
    QCOMPARE(floor.checkpoints.last_step(the_task), std::optional<std::int64_t>(9));
    QCOMPARE(floor.stands(), Steps{9});
    QCOMPARE(floor.ordered(), Steps{9});
    floor.step(9);
    QVERIFY(floor.checkpoints.taken(the_task).empty());
    floor.take(0, 9, 10);
    QCOMPARE(floor.checkpoints.last_step(the_task), std::optional<std::int64_t>(9));
    QCOMPARE(floor.checkpoints.taken(the_task).size(), std::size_t{1});
    QCOMPARE(floor.checkpoints.taken(the_task)[0].stage, std::int32_t{0});
    floor.take(1, 9, 11);
    QVERIFY(floor.checkpoints.taken(the_task).empty());  // the snapshots are committed
    QCOMPARE(floor.committed(), Steps{9});
    QCOMPARE(floor.checkpoints.last_step(the_task), std::optional<std::int64_t>(9));
    floor.wait(seconds(600));
    QCOMPARE(floor.stands(), Steps{9});  // the hold lasts until its owner releases it
    // A checkpoint ordered by a client does not end the hold.
    QCOMPARE(floor.ask(), std::int64_t{9});
    QVERIFY(floor.stands().empty());
    floor.clear();
    floor.checkpoints.let_go(the_task);
    QCOMPARE(floor.stands(), Steps{0});
    QVERIFY(!floor.checkpoints.last_step(the_task));
}

void CheckpointOrdersTest::missed_last_step_is_moved() {
    OrderFloor floor(never);
    floor.step(7);
    QCOMPARE(floor.checkpoints.order_last(the_task).value(), std::int64_t{9});
    floor.take(0, 9, 10);
    floor.miss(1, 9, ErrorCode::conflict);
    QCOMPARE(floor.stands(), (Steps{9, 11}));
    QCOMPARE(floor.ordered(), (Steps{9, 11}));
    QCOMPARE(floor.checkpoints.last_step(the_task), std::optional<std::int64_t>(11));
    floor.take_all(11, 20);
    QCOMPARE(floor.committed(), Steps{11});
}

/// The rule itself makes stages take a snapshot after every counted step, even if an order comes too late. They would
/// then hold at another step, so the last step must not be a counted one.
void CheckpointOrdersTest::last_step_is_not_a_counted_one() {
    OrderFloor floor({Every::steps, 5, 2});
    floor.step(8);
    QCOMPARE(floor.ask(), std::int64_t{10});  // without a hold, a counted step is as good as any other
    floor.clear();
    QCOMPARE(floor.checkpoints.order_last(the_task).value(), std::int64_t{11});
    QCOMPARE(floor.stands(), Steps{11});
    QCOMPARE(floor.ordered(), Steps{11});
    floor.miss(1, 11, ErrorCode::conflict);
    QCOMPARE(floor.stands(), (Steps{11, 12}));
    // If every step is counted, no other step is possible.
    OrderFloor all({Every::steps, 1, 2});
    all.step(8);
    QCOMPARE(all.checkpoints.order_last(the_task).value(), std::int64_t{10});
    // Skipping the counted step does not help if the next step is the last of the task.
    OrderFloor late({Every::steps, 999, 2});
    late.step(997);
    QCOMPARE(late.checkpoints.order_last(the_task).error().code, ErrorCode::conflict);
    QVERIFY(!late.checkpoints.last_step(the_task));
}

/// A stage that has done an already ordered step has its snapshot. It would not report that it is too late to hold, and
/// would continue.
void CheckpointOrdersTest::last_step_is_not_an_already_ordered_one() {
    OrderFloor floor(never);
    floor.step(7);
    QCOMPARE(floor.ask(), std::int64_t{9});
    floor.clear();
    QCOMPARE(floor.checkpoints.order_last(the_task).value(), std::int64_t{10});
    QCOMPARE(floor.stands(), Steps{10});
    floor.take_all(9, 10);
    QCOMPARE(floor.committed(), Steps{9});
    QCOMPARE(floor.checkpoints.last_step(the_task), std::optional<std::int64_t>(10));
    floor.take_all(10, 20);
    QCOMPARE(floor.committed(), (Steps{9, 10}));
    // A step of which a stage has already reported a snapshot is not chosen either.
    OrderFloor ahead(never);
    ahead.step(7);
    ahead.take(0, 9, 10);
    QCOMPARE(ahead.checkpoints.order_last(the_task).value(), std::int64_t{10});
}

/// If every step is counted, no stage reports that an order came too late. Stages report snapshots of a later step
/// instead, so the ordered step is useless.
void CheckpointOrdersTest::stages_that_all_passed_the_hold_stand_later() {
    CheckpointFloor floor(3, {Every::steps, 1, 2});
    floor.step(8);
    QCOMPARE(floor.checkpoints.order_last(the_task).value(), std::int64_t{10});
    floor.take_all(9, 20);  // the copies of step 9 are in progress
    floor.take_all(10, 30);
    QCOMPARE(floor.checkpoints.last_step(the_task), std::optional<std::int64_t>(10));
    floor.take(0, 11, 40);
    QCOMPARE(floor.checkpoints.last_step(the_task), std::optional<std::int64_t>(10));
    floor.take(1, 11, 41);
    QCOMPARE(floor.checkpoints.last_step(the_task), std::optional<std::int64_t>(11));
    floor.end_copies();
    QCOMPARE(floor.committed(), (Steps{9, 11}));
    QCOMPARE(floor.checkpoints.last_step(the_task), std::optional<std::int64_t>(11));
    for (const auto& [peer, hold] : floor.sent<HoldSteps>()) QCOMPARE(hold.after, std::int64_t{10});
}

void CheckpointOrdersTest::hold_is_released_if_no_snapshot_is_possible() {
    OrderFloor floor(never);
    floor.step(7);
    (void)floor.checkpoints.order_last(the_task);
    floor.miss(1, 9);  // the disk of stage 1 is full
    QCOMPARE(floor.stands(), (Steps{9, 0}));
    QVERIFY(!floor.checkpoints.last_step(the_task));
    floor.step(998);
    QCOMPARE(floor.checkpoints.order_last(the_task).error().code, ErrorCode::conflict);
    QVERIFY(!floor.checkpoints.last_step(the_task));
}

void CheckpointOrdersTest::next_generation_is_not_held() {
    OrderFloor floor(never);
    floor.step(7);
    (void)floor.checkpoints.order_last(the_task);
    floor.recover(0);
    QVERIFY(!floor.checkpoints.last_step(the_task));
    floor.clear();
    floor.checkpoints.let_go(the_task);
    QVERIFY(floor.stands().empty());
}

/// Stage 1 is away, and its hold ended with its connection. The task waits for it.
void CheckpointOrdersTest::hold_is_released_while_a_stage_is_away() {
    OrderFloor floor(never);
    floor.step(7);
    (void)floor.checkpoints.order_last(the_task);
    (void)floor.desk.sessions().close(*floor.desk.sessions().of(floor.instance(1)));
    floor.desk.append(PhaseChanged{the_task, TaskPhase::exception, "waits for instance t-1/stage-1/0#1"});
    floor.clear();
    floor.checkpoints.let_go(the_task);
    const auto told = floor.sent<HoldSteps>();
    QCOMPARE(told.size(), std::size_t{1});
    QCOMPARE(told[0].first, *floor.desk.sessions().of(floor.instance(0)));
    QCOMPARE(told[0].second.after, std::int64_t{0});
}

DIVISI_TEST(CheckpointOrdersTest)

}  // namespace checkpoint_orders_test

#include "checkpoint_orders_test.moc"
