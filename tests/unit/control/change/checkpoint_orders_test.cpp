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

/// A cluster of one node, so that a commit needs no copies, whose clock ticks.
struct OrderFloor : CheckpointFloor {
    explicit OrderFloor(task::CheckpointRule rule) : CheckpointFloor(1, rule) {}

    void wait(Duration time) {
        for (const TimePoint end = now + time; now < end;) {
            pass(std::min<Duration>(heartbeat_interval, end - now));
            checkpoints.check_deadlines();
        }
    }
    /// The steps that stages were told to take snapshots of since the floor was cleared: both the same.
    Steps ordered() {
        std::map<PeerId, Steps> each;
        for (const auto& [peer, order] : sent<TakeSnapshot>()) each[peer].push_back(order.step);
        if (each.empty()) return {};
        if (each.size() != 2 || each.begin()->second != each.rbegin()->second) qFatal("not both stages were told");
        return each.begin()->second;
    }
    /// Where stages were told to stand since the floor was cleared: both at the same; 0: to go on.
    Steps stands() {
        std::map<PeerId, Steps> each;
        for (const auto& [peer, hold] : sent<HoldSteps>()) each[peer].push_back(hold.after);
        if (each.empty()) return {};
        if (each.size() != 2 || each.begin()->second != each.rbegin()->second) qFatal("not both stages were told");
        return each.begin()->second;
    }
    /// A client orders one; the step that it is answered, or -1, and `refused` says why.
    std::string refused;
    std::int64_t ask(const TaskId& task = the_task) {
        clear();
        const auto ordered = checkpoints.order(task);
        refused = ordered ? "" : ordered.error().what;
        return ordered ? *ordered : -1;
    }
};

}  // namespace

/// When stages are told to take snapshots, and of which step.
class CheckpointOrdersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void a_client_is_told_the_step();
    void an_order_is_an_order_whatever_the_rule();
    void a_second_order_joins_the_first();
    void what_cannot_be_is_refused();
    void an_order_that_comes_too_late_is_given_again_further_ahead();
    void orders_that_are_always_too_late_are_given_up();
    void short_steps_are_ordered_further_ahead();
    void every_so_many_seconds();
    void one_that_is_under_way_is_waited_for();
    void nothing_is_ordered_while_the_task_does_not_train();
    void nothing_is_ordered_at_the_end();
    void a_stage_that_is_away_is_waited_for();
    void automatic_begins_soon_and_goes_on_as_young_says();
    void more_faults_make_more_checkpoints();
    void what_is_measured_may_be_nonsense();
    void a_recovery_begins_anew();
    void a_restart_orders_again();
    void stages_stand_still_at_the_last();
    void a_last_step_that_has_passed_is_moved();
    void the_last_step_is_none_that_stages_count();
    void the_last_step_is_none_that_was_ordered_before();
    void stages_that_all_went_on_stand_after_what_they_have_done();
    void nobody_stands_still_for_nothing();
    void the_next_generation_is_not_held();
    void who_stands_goes_on_also_while_another_is_away();
};

void CheckpointOrdersTest::a_client_is_told_the_step() {
    OrderFloor floor({Every::steps, 100, 2});
    floor.step(7);
    QCOMPARE(floor.ask(), std::int64_t{9});
    QCOMPARE(floor.ordered(), Steps{9});
    const TakeSnapshot order = floor.sent<TakeSnapshot>()[0].second;
    QVERIFY(order.task == the_task && order.generation == 1);
    floor.take_all(9, 10);
    QCOMPARE(floor.committed(), Steps{9});
    QCOMPARE(floor.ask(), std::int64_t{11});  // the last step that was reported is 7 still
}

void CheckpointOrdersTest::an_order_is_an_order_whatever_the_rule() {
    OrderFloor floor(never);
    QCOMPARE(floor.ask(), std::int64_t{2});
    floor.take_all(2, 10);
    QCOMPARE(floor.committed(), Steps{2});
    floor.wait(seconds(1000));
    QCOMPARE(floor.ordered(), Steps{2});
    QVERIFY(!floor.checkpoints.next_deadline());
}

void CheckpointOrdersTest::a_second_order_joins_the_first() {
    OrderFloor floor(never);
    floor.step(7);
    QCOMPARE(floor.ask(), std::int64_t{9});
    floor.step(8);
    QCOMPARE(floor.ask(), std::int64_t{9});
    QVERIFY(floor.ordered().empty());
    floor.step(9);  // its snapshots are being written: what is ordered now is a later one
    QCOMPARE(floor.ask(), std::int64_t{11});
}

void CheckpointOrdersTest::what_cannot_be_is_refused() {
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

void CheckpointOrdersTest::an_order_that_comes_too_late_is_given_again_further_ahead() {
    OrderFloor floor(never);
    floor.step(10);
    QCOMPARE(floor.ask(), std::int64_t{12});
    floor.clear();
    floor.take(0, 12, 20);
    floor.miss(1, 12, ErrorCode::conflict);
    QCOMPARE(floor.ordered(), Steps{14});
    // The snapshot that one stage has taken goes, and nobody is told: it is as soon as can be.
    QCOMPARE(floor.dropped().at(PeerId(1)), std::set<std::string>{blob(20)});
    QVERIFY(floor.warnings().empty());
    floor.clear();
    floor.miss(0, 12, ErrorCode::conflict);  // of the order before
    QVERIFY(floor.ordered().empty());
    floor.take_all(14, 30);
    QCOMPARE(floor.committed(), Steps{14});
    floor.step(20);
    QCOMPARE(floor.ask(), std::int64_t{24});  // it is remembered
}

void CheckpointOrdersTest::orders_that_are_always_too_late_are_given_up() {
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
    QCOMPARE(floor.ask(), std::int64_t{10 + 13});  // 100 ms
}

void CheckpointOrdersTest::every_so_many_seconds() {
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

void CheckpointOrdersTest::one_that_is_under_way_is_waited_for() {
    OrderFloor floor(every_seconds(5));
    floor.step(1);
    floor.wait(seconds(5));
    QCOMPARE(floor.ordered(), Steps{3});
    QVERIFY(!floor.checkpoints.next_deadline());
    floor.wait(seconds(600));  // steps are long
    QCOMPARE(floor.ordered(), Steps{3});
    floor.step(3);
    floor.take(0, 3, 10);
    floor.wait(order_patience - seconds(1));
    QCOMPARE(floor.ordered(), Steps{3});
    floor.wait(seconds(1));
    QCOMPARE(floor.ordered(), (Steps{3, 5}));
    // What was late is a checkpoint still.
    floor.take(1, 3, 11);
    QCOMPARE(floor.committed(), Steps{3});
    QVERIFY(!floor.checkpoints.next_deadline());
    floor.take_all(5, 20);
    QVERIFY(floor.checkpoints.next_deadline().has_value());
}

void CheckpointOrdersTest::nothing_is_ordered_while_the_task_does_not_train() {
    OrderFloor floor(every_seconds(5));
    floor.desk.append(PhaseChanged{the_task, TaskPhase::exception, "a node is away"});
    QVERIFY(!floor.checkpoints.next_deadline());
    floor.wait(seconds(60));
    QVERIFY(floor.ordered().empty());
    floor.desk.append(PhaseChanged{the_task, TaskPhase::exchange, ""});
    floor.wait(heartbeat_interval);
    QCOMPARE(floor.ordered(), Steps{2});
}

void CheckpointOrdersTest::nothing_is_ordered_at_the_end() {
    OrderFloor floor(every_seconds(5));
    floor.step(998);
    floor.wait(seconds(60));
    QVERIFY(floor.ordered().empty());
    QVERIFY(!floor.checkpoints.next_deadline());
    floor.submit(TaskId("score-1"), every_seconds(5), batch);
    floor.wait(seconds(60));
    QVERIFY(floor.ordered().empty());
}

void CheckpointOrdersTest::a_stage_that_is_away_is_waited_for() {
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

void CheckpointOrdersTest::automatic_begins_soon_and_goes_on_as_young_says() {
    OrderFloor floor(automatic);
    floor.step(1);
    floor.wait(first_checkpoint);
    QCOMPARE(floor.ordered(), Steps{3});
    floor.step(3);
    floor.take(0, 3, 10, 2.0);
    floor.take(1, 3, 11, 8.0);
    QCOMPARE(floor.committed(), Steps{3});
    // One node without faults: sqrt(2 * 0.008 s * 604,800 s) = 98.4 s after the order, by the stage that waits longest.
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

void CheckpointOrdersTest::more_faults_make_more_checkpoints() {
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

void CheckpointOrdersTest::what_is_measured_may_be_nonsense() {
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

void CheckpointOrdersTest::a_recovery_begins_anew() {
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

void CheckpointOrdersTest::a_restart_orders_again() {
    OrderFloor floor(every_seconds(30));
    floor.wait(seconds(10));
    Checkpoints after(floor.desk, floor.transfers);
    QVERIFY(!after.next_deadline());
    after.adopt();
    QCOMPARE(*after.next_deadline(), floor.desk.lived() + seconds(30));
}

void CheckpointOrdersTest::stages_stand_still_at_the_last() {
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
    QVERIFY(floor.checkpoints.taken(the_task).empty());  // it is committed
    QCOMPARE(floor.committed(), Steps{9});
    QCOMPARE(floor.checkpoints.last_step(the_task), std::optional<std::int64_t>(9));
    floor.wait(seconds(600));
    QCOMPARE(floor.stands(), Steps{9});  // for as long as whoever ordered it wants
    // Nobody else who orders one makes them go on.
    QCOMPARE(floor.ask(), std::int64_t{9});
    QVERIFY(floor.stands().empty());
    floor.clear();
    floor.checkpoints.let_go(the_task);
    QCOMPARE(floor.stands(), Steps{0});
    QVERIFY(!floor.checkpoints.last_step(the_task));
}

void CheckpointOrdersTest::a_last_step_that_has_passed_is_moved() {
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

/// Of one that they count they take a snapshot whenever they hear of the order, and would stand at another step.
void CheckpointOrdersTest::the_last_step_is_none_that_stages_count() {
    OrderFloor floor({Every::steps, 5, 2});
    floor.step(8);
    QCOMPARE(floor.ask(), std::int64_t{10});  // where nobody is to stand it is as good as another
    floor.clear();
    QCOMPARE(floor.checkpoints.order_last(the_task).value(), std::int64_t{11});
    QCOMPARE(floor.stands(), Steps{11});
    QCOMPARE(floor.ordered(), Steps{11});
    floor.miss(1, 11, ErrorCode::conflict);
    QCOMPARE(floor.stands(), (Steps{11, 12}));
    // Where they count all there is no other.
    OrderFloor all({Every::steps, 1, 2});
    all.step(8);
    QCOMPARE(all.checkpoints.order_last(the_task).value(), std::int64_t{10});
    // Nor does it help where the next is the last of the task.
    OrderFloor late({Every::steps, 999, 2});
    late.step(997);
    QCOMPARE(late.checkpoints.order_last(the_task).error().code, ErrorCode::conflict);
    QVERIFY(!late.checkpoints.last_step(the_task));
}

/// Who has done such a step has its snapshot, does not say that it is too late to stand there, and goes on.
void CheckpointOrdersTest::the_last_step_is_none_that_was_ordered_before() {
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
    // Nor one that a stage has told of already.
    OrderFloor ahead(never);
    ahead.step(7);
    ahead.take(0, 9, 10);
    QCOMPARE(ahead.checkpoints.order_last(the_task).value(), std::int64_t{10});
}

/// Where all steps are counted nobody says that an order came too late: they tell of another step instead, which makes
/// the one that was ordered useless.
void CheckpointOrdersTest::stages_that_all_went_on_stand_after_what_they_have_done() {
    CheckpointFloor floor(3, {Every::steps, 1, 2});
    floor.step(8);
    QCOMPARE(floor.checkpoints.order_last(the_task).value(), std::int64_t{10});
    floor.take_all(9, 20);  // its copies are under way
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

void CheckpointOrdersTest::nobody_stands_still_for_nothing() {
    OrderFloor floor(never);
    floor.step(7);
    (void)floor.checkpoints.order_last(the_task);
    floor.miss(1, 9);  // its disk is full
    QCOMPARE(floor.stands(), (Steps{9, 0}));
    QVERIFY(!floor.checkpoints.last_step(the_task));
    floor.step(998);
    QCOMPARE(floor.checkpoints.order_last(the_task).error().code, ErrorCode::conflict);
    QVERIFY(!floor.checkpoints.last_step(the_task));
}

void CheckpointOrdersTest::the_next_generation_is_not_held() {
    OrderFloor floor(never);
    floor.step(7);
    (void)floor.checkpoints.order_last(the_task);
    floor.recover(0);
    QVERIFY(!floor.checkpoints.last_step(the_task));
    floor.clear();
    floor.checkpoints.let_go(the_task);
    QVERIFY(floor.stands().empty());
}

/// The task waits for the one that is away, whose own hold ended with its connection.
void CheckpointOrdersTest::who_stands_goes_on_also_while_another_is_away() {
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
