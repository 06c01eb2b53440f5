// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/state.h"

#include <set>

#include "backend/control/state/curve.h"
#include "tests/support/test_program.h"

namespace state_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::seconds;

namespace {

/// A state and the events that led to it.
struct Told {
    ClusterState state;
    TimePoint time{seconds(1000)};

    void add(Event::Body body) { apply(state, {state.sequence + 1, time, std::move(body)}); }
    TaskId submit(const std::string& name) {
        const TaskId id = next_task_id(state, name);
        add(TaskSubmitted{id, name, "", "/", "", {}, "me", 0});
        return id;
    }
    TaskId end(const TaskId& id) {
        add(TaskEnded{id, Outcome::succeeded, {}});
        return id;
    }
};

template <typename Record>
Record record(std::int64_t step, std::size_t heads = 0) {
    Record made;
    made.step = step;
    made.loss = static_cast<float>(step);
    for (std::size_t i = 0; i < heads; ++i) made.heads.push_back({"head" + std::to_string(i), 1, {}});
    return made;
}

/// Submits and plans a task that keeps `keep` checkpoints.
TaskId plan(Told& told, std::int64_t keep) {
    const TaskId task = told.submit("t");
    TaskPlanned planned{task, 1, {}, 100, 4, "m", "h", {}};
    planned.checkpoint = {task::CheckpointRule::Every::steps, 5, keep};
    planned.answer = task::FaultAnswer::recover;
    told.add(planned);
    return task;
}

Checkpoint checkpoint(std::int64_t step, std::size_t parts = 2) {
    Checkpoint made{1, step, {}, {}};
    for (std::size_t i = 0; i < parts; ++i)
        made.parts.push_back({Sid("t-1/stage-" + std::to_string(i) + "/0"),
                              static_cast<std::int32_t>(i),
                              "hash" + std::to_string(step),
                              7,
                              {NodeId("n")}});
    return made;
}

std::vector<std::int64_t> steps_of(const std::vector<Checkpoint>& checkpoints) {
    std::vector<std::int64_t> steps;
    for (const Checkpoint& one : checkpoints) steps.push_back(one.step);
    return steps;
}

/// Returns the widest gap between neighbouring points, relative to evenly spaced points.
template <typename Record>
double unevenness(const std::deque<Record>& curve, std::int64_t steps) {
    std::int64_t widest = 0;
    for (std::size_t i = 1; i < curve.size(); ++i) widest = std::max(widest, curve[i].step - curve[i - 1].step);
    return static_cast<double>(widest) * static_cast<double>(curve.size()) / static_cast<double>(steps);
}

}  // namespace

/// Tests which data the state keeps and forgets when events are applied.
class StateTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ids_are_unique();
    void ids_stay_unique_after_names_are_forgotten();
    void oldest_task_is_forgotten_by_sequence_not_clock();
    void ended_tasks_are_also_bounded_in_bytes();
    void sid_has_one_newest_incarnation();
    void curve_is_bounded_and_keeps_its_ends();
    void curve_with_many_heads_keeps_fewer_points();
    void task_lines_contain_only_what_they_show();
    void cycles_are_counted_independently_of_the_phase();
    void newest_checkpoints_are_kept();
    void fewer_checkpoints_are_kept_with_many_stages();
    void recovery_returns_to_its_checkpoint();
};

void StateTest::cycles_are_counted_independently_of_the_phase() {
    Told told;
    const TaskId task = told.submit("t"), other = told.submit("other");
    const TaskView& view = told.state.tasks.at(task);
    told.add(PhaseChanged{task, TaskPhase::registration, ""});
    told.add(PolicyChanged{{1}});
    QVERIFY(!view.adapting);  // the task has not started, so the policy change does not concern it
    told.add(PhaseChanged{task, TaskPhase::exchange, ""});
    told.add(PhaseChanged{task, TaskPhase::telemetry, ""});
    QCOMPARE(view.phase, TaskPhase::exchange);
    QCOMPARE(view.passages, std::uint64_t{1});
    told.add(PolicyChanged{{2}});
    QVERIFY(view.adapting && !told.state.tasks.at(other).adapting);
    told.add(PhaseChanged{task, TaskPhase::exception, "waits"});
    QVERIFY(view.adapting);  // independent of the task's phase
    told.add(PhaseChanged{task, TaskPhase::exchange, ""});
    told.add(PhaseChanged{task, TaskPhase::telemetry, ""});
    QVERIFY(!view.adapting);
    QCOMPARE(view.passages, std::uint64_t{2});
}

void StateTest::newest_checkpoints_are_kept() {
    Told told;
    const TaskId task = plan(told, 2), other = plan(told, 2);
    const TaskView& view = told.state.tasks.at(task);
    QCOMPARE(view.checkpoint.keep, std::int64_t{2});
    for (const std::int64_t step : {5, 10, 15}) told.add(CheckpointCommitted{task, checkpoint(step)});
    QCOMPARE(steps_of(view.checkpoints), (std::vector<std::int64_t>{10, 15}));
    QVERIFY(view.checkpoints.back() == checkpoint(15));
    QVERIFY(told.state.tasks.at(other).checkpoints.empty());
    told.end(task);
    QVERIFY(view.checkpoints.empty());
}

void StateTest::fewer_checkpoints_are_kept_with_many_stages() {
    Told told;
    const TaskId task = plan(told, 100);
    const TaskView& view = told.state.tasks.at(task);
    for (std::int64_t step = 1; step <= 100; ++step) told.add(CheckpointCommitted{task, checkpoint(step, 256)});
    QCOMPARE(view.checkpoints.size(), most_snapshots / 256);
    QCOMPARE(view.checkpoints.back().step, std::int64_t{100});
    told.add(CheckpointCommitted{task, checkpoint(101, most_snapshots + 1)});  // the newest one is always kept
    QCOMPARE(steps_of(view.checkpoints), std::vector<std::int64_t>{101});
}

void StateTest::recovery_returns_to_its_checkpoint() {
    Told told;
    const TaskId task = plan(told, 3);
    const TaskView& view = told.state.tasks.at(task);
    QCOMPARE(view.answer, task::FaultAnswer::recover);
    told.add(PhaseChanged{task, TaskPhase::exchange, ""});
    for (std::int64_t step = 1; step <= 12; ++step) told.add(StepDone{task, record<StepRecord>(step)});
    for (const std::int64_t step : {5, 10, 12}) told.add(CheckpointCommitted{task, checkpoint(step)});
    told.add(WeightsStored{task, InstanceId("t-1/stage-0/0#1"), 12, "hash", "/w", 1});
    told.add(TaskRecovers{task, 2, 10, InstanceId("t-1/stage-1/0#1"), "it was killed"});
    QCOMPARE(view.generation, Generation{2});
    QCOMPARE(view.step, std::int64_t{10});
    QCOMPARE(view.from_step, std::int64_t{10});
    QCOMPARE(view.phase, TaskPhase::registration);
    QCOMPARE(view.phase_detail, std::string("it was killed"));
    QVERIFY(view.weights.empty());  // the weights of repeated steps were removed
    QCOMPARE(steps_of(view.checkpoints), (std::vector<std::int64_t>{5, 10}));
    told.add(StepDone{task, record<StepRecord>(11)});
    QCOMPARE(view.step, std::int64_t{11});
    QCOMPARE(view.history.size(), std::size_t{11});
    told.add(TaskRecovers{task, 3, 0, {}, "nobody's fault"});
    QCOMPARE(view.step, std::int64_t{0});
    QVERIFY(view.checkpoints.empty());
}

void StateTest::sid_has_one_newest_incarnation() {
    Told told;
    const TaskId task = told.submit("t");
    const Sid sid("t-1/stage-1/0"), other("t-1/stage-10/0");
    for (Incarnation number = 1; number <= 10; ++number) {
        QCOMPARE(next_instance(told.state, sid), instance_of(sid, number));
        told.add(InstancePlaced{task, instance_of(sid, number), sid, NodeId("n"), 1});
    }
    told.add(InstancePlaced{task, instance_of(other, 1), other, NodeId("n"), 10});
    QVERIFY(is_newest(told.state, instance_of(sid, 10)) && !is_newest(told.state, instance_of(sid, 9)));
    std::vector<InstanceId> playing;
    for (const InstanceView* one : instances_of(told.state, task)) playing.push_back(one->id);
    QCOMPARE(playing, (std::vector<InstanceId>{instance_of(sid, 10), instance_of(other, 1)}));
    QCOMPARE(sid_of(playing[0]), sid);
    QCOMPARE(incarnation_of(InstanceId("t-1/stage-1/0")), Incarnation{0});  // the form in old logs
}

void StateTest::ids_are_unique() {
    Told log;
    std::set<TaskId> given;
    for (std::size_t i = 0; i < 3 * ended_task_limit; ++i) QVERIFY(given.insert(log.end(log.submit("gpt-2"))).second);
    QCOMPARE(log.state.tasks.size(), ended_task_limit);
    QCOMPARE(log.submit("gpt-2"), TaskId("gpt-2-" + std::to_string(3 * ended_task_limit + 1)));
    QCOMPARE(log.submit("gpt"), TaskId("gpt-1"));
    // A name that ends in a number causes no duplicate ids.
    QCOMPARE(log.submit("gpt"), TaskId("gpt-2"));
}

void StateTest::ids_stay_unique_after_names_are_forgotten() {
    Told log;
    std::set<TaskId> given;
    for (int round = 0; round < 3; ++round)
        for (std::size_t i = 0; i < most_task_names + 50; ++i)
            QVERIFY(given.insert(log.end(log.submit("n" + std::to_string(i)))).second);
    QVERIFY(log.state.numbers.size() <= most_task_names + 1);
}

void StateTest::oldest_task_is_forgotten_by_sequence_not_clock() {
    Told log;
    const TaskId first = log.end(log.submit("first"));
    for (std::size_t i = 1; i < ended_task_limit; ++i) log.end(log.submit("other"));
    log.time -= seconds(500);  // the clock is set back
    const TaskId newest = log.end(log.submit("newest"));
    QVERIFY(log.state.tasks.contains(newest));
    QVERIFY(!log.state.tasks.contains(first));
}

void StateTest::ended_tasks_are_also_bounded_in_bytes() {
    Told log;
    for (int i = 0; i < 100; ++i) {
        const TaskId id = next_task_id(log.state, "long");
        log.add(TaskSubmitted{id, "long", std::string(longest_task_text, 'x'), "/", "", {}, "me", 0});
        log.end(id);
        QVERIFY(log.state.tasks.contains(id));
    }
    QVERIFY(log.state.tasks.size() <= ended_task_bytes / longest_task_text + 1);
}

void StateTest::curve_is_bounded_and_keeps_its_ends() {
    for (const std::int64_t steps : {500, 5'000, 100'000}) {
        std::deque<StepRecord> curve;
        for (std::int64_t step = 1; step <= steps; ++step) {
            add_to_curve(curve, record<StepRecord>(step));
            QVERIFY(curve.size() <= curve_points);
        }
        QCOMPARE(curve.front().step, std::int64_t(1));
        QVERIFY(curve.size() >= std::min<std::size_t>(static_cast<std::size_t>(steps), curve_points / 4));
        for (std::size_t i = 1; i <= curve_tail; ++i)
            QCOMPARE(curve[curve.size() - i].step, steps + 1 - static_cast<std::int64_t>(i));
        for (std::size_t i = 1; i < curve.size(); ++i) QVERIFY(curve[i].step > curve[i - 1].step);
        QVERIFY2(unevenness(curve, steps) < 8, std::to_string(unevenness(curve, steps)).c_str());
    }
}

void StateTest::curve_with_many_heads_keeps_fewer_points() {
    std::deque<EvalRecord> curve;
    for (std::int64_t step = 1; step <= 5000; ++step) add_to_curve(curve, record<EvalRecord>(step, 20));
    QVERIFY(curve.size() * 21 <= curve_weight);
    QVERIFY(curve.size() > 100);
    std::deque<EvalRecord> wide;
    for (std::int64_t step = 1; step <= 500; ++step) add_to_curve(wide, record<EvalRecord>(step, 3000));
    QVERIFY(wide.size() <= 4);
    QCOMPARE(wide.back().step, std::int64_t(500));
    std::deque<EvalRecord> same;  // repeated by a faulty instance
    for (int i = 0; i < 5000; ++i) add_to_curve(same, record<EvalRecord>(0));
    QVERIFY(same.size() <= curve_points);
}

void StateTest::task_lines_contain_only_what_they_show() {
    const Event::Body bodies[] = {
        TaskSubmitted{TaskId("t-1"), "t", std::string(100'000, 'x'), "/", "", std::vector<FileRef>(50), "me", 0},
        TaskPlanned{TaskId("t-1"),
                    1,
                    std::vector<std::string>(100, "cut"),
                    5,
                    4,
                    "m",
                    "h",
                    {{Sid("a"), "forward", InstanceId("i"), {Sid("b")}, UnitState::waiting},
                     {Sid("b"), "backward", InstanceId("i"), {Sid("a")}, UnitState::waiting}}}};
    for (const Event::Body& body : bodies) {
        const Event short_one = line({1, {}, body});
        QCOMPARE(describe(short_one.body), describe(body));
        if (const auto* submitted = get_if<TaskSubmitted>(&short_one.body)) QVERIFY(submitted->text.empty());
    }
}

DIVISI_TEST(StateTest)

}  // namespace state_test

#include "state_test.moc"
