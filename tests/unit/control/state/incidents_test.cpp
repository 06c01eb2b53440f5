// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/incidents.h"

#include "tests/support/test_program.h"

namespace incidents_test {

using namespace divisi;
using namespace divisi::control;

namespace {

const TaskId the_task("gpt-1");

InstanceId stage(int number, int incarnation = 1) {
    return InstanceId("gpt-1/stage-" + std::to_string(number) + "/0#" + std::to_string(incarnation));
}
InstanceId reader(int incarnation = 1) { return InstanceId("gpt-1/data/0#" + std::to_string(incarnation)); }
TimePoint at(int seconds) { return TimePoint(std::chrono::seconds(seconds)); }

/// A cluster whose log the test writes: one event a second, or several events at the same time.
struct Diary {
    Incidents incidents;
    ClusterState state;
    int now = 0;

    void tell(Event::Body body) {
        const Event event{state.sequence + 1, at(now), std::move(body)};
        incidents.take(event);
        apply(state, event);
    }
    void place(const InstanceId& instance, int number, const char* node, Generation generation) {
        tell(InstancePlaced{the_task, instance, sid_of(instance), NodeId(node), number, generation});
    }
    void steps(std::int64_t first, std::int64_t last, Generation generation = 1) {
        for (std::int64_t step = first; step <= last; ++step) {
            ++now;
            tell(StepDone{the_task, {step, 1.0F, 100, 10, generation}});
        }
    }
    /// Starts two stages on two nodes and trains for twelve steps.
    Diary() {
        for (const char* node : {"mic-1/a", "mic-1/b"}) {
            NodeInfo info;
            info.id = NodeId(node);
            tell(NodeJoined{info});
        }
        tell(TaskSubmitted{the_task, "gpt"});
        tell(TaskPlanned{the_task, 1});
        tell(PhaseChanged{the_task, TaskPhase::registration, ""});
        place(stage(0), 0, "mic-1/a", 1);
        place(stage(1), 1, "mic-1/b", 1);
        begin(1);
        steps(1, 12);
        now = 100;
    }
    void begin(int incarnation) {
        for (const int number : {0, 1}) tell(InstanceLoaded{stage(number, incarnation)});
        tell(PhaseChanged{the_task, TaskPhase::exchange, ""});
        for (const int number : {0, 1}) tell(InstanceChanged{stage(number, incarnation), InstanceState::running, ""});
    }
    void lose(const InstanceId& instance, const char* why) {
        tell(InstanceChanged{instance, InstanceState::failed, why});
    }
    void recover(Generation generation, std::int64_t step, const InstanceId& culprit) {
        tell(TaskRecovers{the_task, generation, step, culprit, "the instance's process was killed by signal 9"});
        const int incarnation = static_cast<int>(generation);
        for (const int number : {0, 1}) tell(InstanceEnded{stage(number, incarnation - 1), "another instance failed"});
        place(stage(0, incarnation), 0, "mic-1/a", generation);
        place(stage(1, incarnation), 1, "mic-1/b", generation);
    }
    void fail(const Error& error) {
        tell(PhaseChanged{the_task, TaskPhase::exception, error.message()});
        tell(TaskEnding{the_task, Outcome::failed, error, "another instance failed"});
        for (const int number : {0, 1}) tell(InstanceEnded{stage(number), ""});
        tell(TaskEnded{the_task, Outcome::failed, error});
    }
    const Incident& only() const { return incidents.all().front(); }
};

}  // namespace

class IncidentsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void task_without_faults_has_no_incidents() {
        Diary log;
        log.tell(InstanceChanged{stage(0), InstanceState::finished, ""});
        log.tell(InstanceChanged{stage(1), InstanceState::finished, ""});
        log.tell(TaskEnding{the_task, Outcome::succeeded, {}, "all steps are done"});
        for (const int number : {0, 1}) log.tell(InstanceEnded{stage(number), ""});
        log.tell(TaskEnded{the_task, Outcome::succeeded, {}});
        QVERIFY(log.incidents.all().empty());
    }

    void each_phase_of_a_recovery_has_its_time() {
        Diary log;
        log.tell(InstanceChanged{stage(1), InstanceState::running, "away: its connection was closed"});
        log.tell(PhaseChanged{the_task, TaskPhase::exception, "waits for instance gpt-1/stage-1/0#1"});
        QCOMPARE(log.only().fault, std::string("away: its connection was closed"));
        log.now = 101;
        log.lose(stage(1), "killed by signal 9");
        log.lose(stage(0), "its peer is gone");  // a consequence of the first fault
        log.now = 102;
        log.recover(2, 10, stage(1));
        log.now = 103;
        log.tell(InstanceLoaded{stage(0, 2)});
        QCOMPARE(log.only().restored, TimePoint());  // the other instance is not prepared yet
        log.now = 104;
        log.tell(InstanceLoaded{stage(1, 2)});
        log.tell(PhaseChanged{the_task, TaskPhase::exchange, ""});
        log.steps(11, 12, 2);
        QVERIFY(log.only().open);
        log.steps(13, 13, 2);
        QCOMPARE(log.incidents.all().size(), 1U);
        const Incident& one = log.only();
        QCOMPARE(one.culprit, stage(1));
        QCOMPARE(one.node, NodeId("mic-1/b"));
        QCOMPARE(one.fault, std::string("killed by signal 9"));
        QCOMPARE(one.answer, IncidentAnswer::recovers);
        QCOMPARE(one.generation, 2U);
        const std::vector<TimePoint> times{one.fault_time, one.detected, one.decided,
                                           one.restored,   one.resumed,  one.caught_up};
        QCOMPARE(times, (std::vector<TimePoint>{at(100), at(101), at(102), at(104), at(105), at(107)}));
        QCOMPARE(one.from_step, 10);
        QCOMPARE(one.last_step, std::optional<std::int64_t>(12));
        QCOMPARE(one.replayed(), std::optional<std::int64_t>(2));
        QVERIFY(!one.open);
    }

    void incident_ends_if_the_instance_returns() {
        Diary log;
        log.tell(InstanceChanged{stage(0), InstanceState::running, "away: it was silent"});
        log.tell(PhaseChanged{the_task, TaskPhase::exception, "waits for instance gpt-1/stage-0/0#1"});
        log.now = 103;
        log.tell(InstanceChanged{stage(0), InstanceState::running, ""});
        QVERIFY(log.only().open);  // the incident stays open while the task waits
        log.tell(PhaseChanged{the_task, TaskPhase::exchange, ""});
        QCOMPARE(log.only().answer, IncidentAnswer::passed);
        QCOMPARE(log.only().resumed, at(103));
        QCOMPARE(log.only().replayed(), std::optional<std::int64_t>(0));
        QVERIFY(!log.only().open);
    }

    void incident_lasts_through_a_restart_of_the_orchestrator() {
        Diary log;
        log.tell(ClusterStarted{"lab"});
        log.tell(
            PhaseChanged{the_task, TaskPhase::exception, "waits for node mic-1/a (the orchestrator was restarted)"});
        log.now = 101;
        for (const int number : {0, 1}) log.tell(InstanceChanged{stage(number), InstanceState::running, ""});
        log.tell(PhaseChanged{the_task, TaskPhase::exchange, ""});
        QCOMPARE(log.incidents.all().size(), 1U);
        QCOMPARE(log.only().answer, IncidentAnswer::passed);
        QVERIFY(log.only().fault.find("restarted") != std::string::npos);
        QVERIFY(log.only().culprit.value().empty());
    }

    void lost_node_is_one_incident_however_many_instances_it_ran() {
        Diary log;
        log.tell(InstanceChanged{stage(1), InstanceState::running, "away: its connection was closed"});
        log.tell(InstancePlaced{the_task, reader(), sid_of(reader()), NodeId("mic-1/b"), dealt_stage, 1});
        log.now = 101;
        log.tell(NodeEnded{NodeId("mic-1/b"), NodeState::away, "no heartbeat"});
        log.tell(PhaseChanged{the_task, TaskPhase::exception, "waits for node mic-1/b"});
        log.now = 111;
        log.tell(NodeEnded{NodeId("mic-1/b"), NodeState::lost, "no heartbeat"});
        log.lose(stage(1), "node mic-1/b was lost");
        log.lose(reader(), "node mic-1/b was lost");
        log.tell(InstanceEnded{stage(1), "its node was lost"});
        log.recover(2, 0, stage(1));
        QCOMPARE(log.incidents.all().size(), 1U);
        QVERIFY(log.only().culprit.value().empty());
        QCOMPARE(log.only().node, NodeId("mic-1/b"));
        QCOMPARE(log.only().fault, std::string("node mic-1/b was lost: no heartbeat"));
        QCOMPARE(log.only().fault_time, at(100));
        QCOMPARE(log.only().detected, at(111));
        QCOMPARE(log.only().replayed(), std::optional<std::int64_t>(12));
    }

    void lost_node_without_instances_is_no_incident() {
        Diary log;
        log.tell(NodeEnded{NodeId("mic-1/c"), NodeState::lost, "no heartbeat"});
        QVERIFY(log.incidents.all().empty());
    }

    void death_of_a_standby_is_no_incident() {
        Diary log;
        const InstanceId standby("gpt-1/standby/0#1");
        log.tell(InstancePlaced{the_task, standby, sid_of(standby), NodeId("mic-1/c"), standby_stage, 1});
        log.tell(InstanceChanged{standby, InstanceState::standby, ""});
        Incidents later;
        later.resume(log.state);
        const auto both = [&](const Event::Body& body) {
            log.tell(body);
            later.resume(log.state);
        };
        both(InstanceChanged{standby, InstanceState::standby, "away: its connection was closed"});
        both(NodeEnded{NodeId("mic-1/c"), NodeState::lost, "no heartbeat"});
        both(InstanceChanged{standby, InstanceState::failed, "node mic-1/c was lost"});
        both(InstanceEnded{standby, "its node was lost"});
        QVERIFY(log.incidents.all().empty());
        QVERIFY(later.all().empty());
    }

    void a_second_fault_during_a_recovery_is_another_incident() {
        Diary log;
        log.lose(stage(1), "killed by signal 9");
        log.recover(2, 10, stage(1));
        log.now = 105;
        log.lose(stage(0, 2), "killed by signal 11");
        log.recover(3, 10, stage(0, 2));
        QCOMPARE(log.incidents.all().size(), 2U);
        QVERIFY(!log.only().open);
        QCOMPARE(log.only().resumed, TimePoint());
        QCOMPARE(log.only().outcome, std::string("another fault occurred before the task had continued"));
        log.begin(3);
        log.steps(11, 13, 3);
        const Incident& second = log.incidents.all().back();
        QCOMPARE(second.culprit, stage(0, 2));
        QCOMPARE(second.fault_time, at(105));
        QCOMPARE(second.generation, 3U);
        QCOMPARE(second.resumed, at(106));
        QCOMPARE(second.caught_up, at(108));
        QCOMPARE(log.only().resumed, TimePoint());  // these steps belong to the second incident
    }

    void recut_is_no_incident_and_ends_the_open_ones() {
        Diary log;
        log.steps(11, 20, 1);
        log.lose(stage(1), "killed by signal 9");
        log.recover(2, 10, stage(1));
        log.begin(2);
        log.steps(11, 13, 2);
        QVERIFY(log.only().open);
        TaskPlanned planned;
        planned.task = the_task;
        planned.generation = 3;
        log.tell(planned);
        log.tell(TaskRecut{the_task, 3, 12, "old", "new", "me", "", {{}, {}}});
        for (const int number : {0, 1}) log.tell(InstanceEnded{stage(number, 2), ""});
        QCOMPARE(log.incidents.all().size(), 1U);
        QVERIFY(!log.only().open);
        QCOMPARE(log.only().outcome, std::string("the task was re-cut before the task had caught up"));
    }

    void fault_during_repeated_steps_counts_all_of_them() {
        Diary log;
        log.lose(stage(1), "killed by signal 9");
        log.recover(2, 5, stage(1));
        log.begin(2);
        log.steps(6, 7, 2);
        log.lose(stage(1, 2), "killed by signal 9");
        log.recover(3, 5, stage(1, 2));
        QCOMPARE(log.only().outcome, std::string("another fault occurred before the task had caught up"));
        QCOMPARE(log.incidents.all().back().replayed(), std::optional<std::int64_t>(7));
    }

    void a_recovery_that_fails_is_one_incident() {
        Diary log;
        log.lose(stage(1), "killed by signal 9");
        log.recover(2, 10, stage(1));
        log.now = 130;
        log.fail({ErrorCode::deadline, "instances did not register in time", "gpt-1/stage-1/0#2", "see the logs"});
        QCOMPARE(log.incidents.all().size(), 1U);
        QCOMPARE(log.only().answer, IncidentAnswer::failed);
        QCOMPARE(log.only().fault, std::string("killed by signal 9"));
        QVERIFY(log.only().outcome.find("did not register in time") != std::string::npos);
        QCOMPARE(log.only().decided, at(100));
        QVERIFY(!log.only().open);
    }

    void failed_task_has_a_reason() {
        Diary log;
        log.lose(stage(0), "killed by signal 9");
        log.now = 101;
        log.fail({ErrorCode::failed, "the instance's process was killed", "gpt-1/stage-0/0#1", "submit it again"});
        QCOMPARE(log.incidents.all().size(), 1U);
        QCOMPARE(log.only().answer, IncidentAnswer::failed);
        QCOMPARE(log.only().detected, at(100));
        QCOMPARE(log.only().decided, at(101));
    }

    void fault_without_a_culprit_is_an_incident_too() {
        Diary log;
        log.fail({ErrorCode::deadline, "it has used up its time limit of 60 s", "[task] most_seconds", "allow more"});
        QCOMPARE(log.incidents.all().size(), 1U);
        QVERIFY(log.only().culprit.value().empty());
        QVERIFY(log.only().fault.find("60 s") != std::string::npos);
    }

    void stopped_task_leaves_no_open_incident() {
        Diary log;
        log.tell(InstanceChanged{stage(0), InstanceState::running, "away: it was silent"});
        log.tell(TaskEnding{the_task, Outcome::stopped, {}, "stopped"});
        QCOMPARE(log.only().answer, IncidentAnswer::stopped);
        QVERIFY(!log.only().open);
    }

    void replaced_data_instance_repeats_no_steps() {
        Diary log;
        log.place(reader(), dealt_stage, "mic-1/b", 1);
        log.tell(InstanceChanged{reader(), InstanceState::running, ""});
        log.lose(reader(), "killed by signal 9");
        log.now = 101;
        log.tell(Noted{Severity::warning, "instance " + reader().value(), the_task.value(),
                       "the task waits for a data instance: killed by signal 9"});
        QCOMPARE(log.only().answer, IncidentAnswer::spared);
        log.place(reader(2), dealt_stage, "mic-1/a", 1);
        log.tell(PhaseChanged{the_task, TaskPhase::exception, "waits for data instance gpt-1/data/0#2"});
        log.now = 102;
        log.tell(InstanceLoaded{reader(2)});
        log.tell(InstanceChanged{reader(2), InstanceState::running, ""});
        QCOMPARE(log.incidents.all().size(), 1U);  // the wait of the task belongs to the same incident
        QCOMPARE(log.only().answer, IncidentAnswer::replaced);
        QCOMPARE(log.only().decided, at(101));
        QCOMPARE(log.only().restored, at(102));
        QCOMPARE(log.only().resumed, at(102));
        QCOMPARE(log.only().replayed(), std::optional<std::int64_t>(0));
        QVERIFY(!log.only().open);
    }

    void task_continues_at_once_with_its_other_data_instances() {
        Diary log;
        const InstanceId other("gpt-1/data/1#1");
        log.place(reader(), dealt_stage, "mic-1/b", 1);
        log.place(other, dealt_stage, "mic-1/a", 1);
        log.lose(reader(), "killed by signal 9");
        log.tell(Noted{Severity::warning, "instance " + reader().value(), the_task.value(),
                       "the task continues with 1 other data instance: killed by signal 9"});
        QCOMPARE(log.only().answer, IncidentAnswer::spared);
        QCOMPARE(log.only().resumed, at(100));
        QVERIFY(!log.only().open);
        log.lose(stage(1), "killed by signal 9");
        QCOMPARE(log.incidents.all().size(), 2U);
    }

    void death_of_an_old_generations_instance_is_no_fault() {
        Diary log;
        log.lose(stage(1), "killed by signal 9");
        log.recover(2, 10, stage(1));
        log.begin(2);
        log.steps(11, 13, 2);
        log.lose(stage(0), "it woke up late");
        QCOMPARE(log.incidents.all().size(), 1U);
    }

    void repeated_event_counts_once() {
        Diary log;
        const Event away{log.state.sequence + 1, at(100), InstanceChanged{stage(0), InstanceState::failed, "killed"}};
        const Event recovers{log.state.sequence + 2, at(101), TaskRecovers{the_task, 2, 0, stage(0), "killed"}};
        for (const Event& event : {away, recovers, away, recovers}) log.incidents.take(event);
        QCOMPARE(log.incidents.all().size(), 1U);
    }

    void memory_is_bounded_and_the_newest_stay() {
        Diary log;
        const auto pass = [&log](int second) {
            log.now = second;
            log.tell(InstanceChanged{stage(0), InstanceState::running, "away: it was silent"});
            log.tell(InstanceChanged{stage(0), InstanceState::running, ""});
        };
        const int many = static_cast<int>(task_incident_limit) + 7;
        for (int i = 1; i <= many; ++i) pass(100 + i);
        QCOMPARE(log.incidents.all().size(), task_incident_limit);
        QCOMPARE(log.incidents.all().back().fault_time, at(100 + many));
        QCOMPARE(log.incidents.all().front().fault_time, at(100 + 8));
    }

    void incidents_of_the_newest_tasks_are_kept() {
        Incidents incidents;
        std::uint64_t sequence = 0;
        const int many = static_cast<int>(incident_limit) + 5;
        for (int i = 1; i <= many; ++i) {
            const TaskId one("gpt-" + std::to_string(i));
            incidents.take({++sequence, at(i), TaskRecovers{one, 2, 0, {}, "killed"}});
            incidents.take({++sequence, at(i), TaskEnded{one, Outcome::stopped, {}}});
        }
        QCOMPARE(incidents.all().size(), incident_limit);
        QCOMPARE(incidents.all().back().task, TaskId("gpt-" + std::to_string(many)));
    }

    void incidents_are_read_from_the_recent_events_of_a_snapshot() {
        Diary log;
        log.lose(stage(1), "killed by signal 9");
        log.now = 102;
        log.recover(2, 10, stage(1));
        Incidents fresh;
        fresh.resume(log.state);
        QCOMPARE(fresh.all().size(), 1U);
        QCOMPARE(fresh.all().front().decided, at(102));
        QCOMPARE(fresh.all().front().last_step, std::optional<std::int64_t>(12));
        QVERIFY(fresh.all().front().open);
        log.begin(2);
        log.steps(11, 13, 2);
        fresh.resume(log.state);
        QVERIFY(!fresh.all().front().open);
        QCOMPARE(fresh.all().front().restored, at(102));
        QCOMPARE(fresh.all().front().resumed, TimePoint());  // the time of its steps was not observed
    }

    void snapshot_keeps_the_known_incidents() {
        Diary log;
        log.lose(stage(1), "killed by signal 9");
        log.recover(2, 10, stage(1));
        log.begin(2);
        log.steps(11, 13, 2);
        const Incident known = log.only();
        log.incidents.resume(log.state);
        QCOMPARE(log.incidents.all().size(), 1U);
        QVERIFY(log.only() == known);
    }

    void another_log_discards_all_incidents() {
        Diary log;
        log.lose(stage(1), "killed by signal 9");
        ClusterState other;
        other.sequence = 1;
        log.incidents.resume(other);
        QVERIFY(log.incidents.all().empty());
    }
};

DIVISI_TEST(IncidentsTest)

}  // namespace incidents_test

#include "incidents_test.moc"
