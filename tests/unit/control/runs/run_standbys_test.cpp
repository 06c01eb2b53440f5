// SPDX-License-Identifier: Apache-2.0
// Tests standby processes that take over from dead instances, with all classes that run tasks.

#include <algorithm>

#include "backend/control/placement/placement.h"
#include "backend/control/runs/standby_pool.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/runs_fixture.h"

namespace run_standbys_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

const InstanceId first_again("t-1/stage-0/0#2"), second_again("t-1/stage-1/0#2");
const InstanceId idle("t-1/standby/0#1"), next_idle("t-1/standby/0#2");
testing::TaskFile wanting(int standbys) {
    return testing::TaskFile().drop_section("train").set("split.stages", 2).set("place.standby", standbys);
}

struct Fixture : RunsFixture {
    using RunsFixture::RunsFixture;

    /// Starts a training task with one stage on a and one on b. With `spare`, c is a free node.
    void train(const testing::TaskFile& file = wanting(1), bool spare = true,
               task::FaultAnswer answer = task::FaultAnswer::recover) {
        if (spare) (void)join("c");
        RunsFixture::train(0, answer, file.text());
    }
    /// Starts the same training task, with a standby that is ready.
    void train_with_standby(const testing::TaskFile& file = wanting(1), bool spare = true) {
        train(file, spare);
        (void)pass(standby_delay);
        get_ready(idle);
    }
    Output get_ready(const InstanceId& standby, Generation generation = 1) {
        (void)serve(standby);
        return say(standby, InstancePrepared{standby, "hash", -1, generation});
    }
    void commit(std::int64_t step, const std::vector<NodeId>& of_first, const std::vector<NodeId>& of_second) {
        context.append(CheckpointCommitted{
            the_task,
            {1, step, now, {{sid_of(first), 0, "first", 10, of_first}, {sid_of(second), 1, "second", 10, of_second}}}});
        (void)take();
    }
    std::vector<StartInstance> starts(const Output& output, const std::string& node) {
        return sent<StartInstance>(output, nodes[node]);
    }
    std::vector<StopInstance> stops(const Output& output, const std::string& node) {
        return sent<StopInstance>(output, nodes[node]);
    }
    Output ends(const std::string& node, const InstanceId& instance, int signal = 0) {
        return hear(nodes[node], InstanceExited{instance, 0, signal, ""});
    }
    /// Registers both stages of the second generation and lets them train.
    Output go_on() {
        for (const InstanceId& id : {first_again, second_again}) (void)serve(id);
        (void)say(first_again, InstancePrepared{first_again, "hash", 5, 2});
        return say(second_again, InstancePrepared{second_again, "hash", -1, 2});
    }
    const InstanceView& view(const InstanceId& id) const { return context.state().instances.at(id); }
};

bool says(const Output& output, const std::string& part) {
    return std::ranges::any_of(output.events, [&](const Event& event) {
        const auto* note = get_if<Noted>(&event.body);
        return note && note->text.find(part) != std::string::npos;
    });
}

}  // namespace

class RunStandbysTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void standby_starts_on_a_node_without_a_stage();
    void standby_gets_ready_and_takes_no_part();
    void standby_takes_over_and_another_one_is_started();
    void one_of_several_standbys_takes_over();
    void standby_takes_over_from_a_lost_node();
    void standby_takes_over_only_on_a_node_with_the_snapshot();
    void stage_bound_to_its_file_stays_on_its_node();
    void standby_shares_the_node_of_a_stage_if_none_is_free();
    void waiting_tasks_have_precedence_over_standbys();
    void standby_needs_an_equivalent_node();
    void standby_is_started_later_if_there_is_no_room();
    void task_that_answers_faults_by_failing_has_no_standby();
    void dead_standby_is_restarted();
    void standby_that_dies_too_often_is_restarted_much_later();
    void standby_that_never_gets_ready_is_restarted();
    void standby_of_another_version_is_not_kept();
    void disconnected_standby_does_not_take_over();
    void standby_ends_with_its_task();
    void standby_reconnects_to_a_restarted_orchestrator();
    void each_standby_has_a_lease_that_ends_once();
    void standby_uses_memory_but_no_processor();
    void standby_leaves_an_unfit_node();
};

void RunStandbysTest::standby_starts_on_a_node_without_a_stage() {
    Fixture fixture;
    fixture.train();
    QVERIFY(fixture.starts(fixture.take(), "c").empty());  // no standby before the first steps
    const Output later = fixture.pass(standby_delay);
    const auto starts = fixture.starts(later, "c");
    QCOMPARE(starts.size(), std::size_t(1));
    QCOMPARE(starts[0].instance, idle);
    QCOMPARE(starts[0].sid, sid_of(idle));
    QCOMPARE(starts[0].threads, 3);
    QCOMPARE(starts[0].from, InstanceId());
    QVERIFY(fixture.starts(fixture.pass(seconds(20)), "c").empty());  // the standby is already starting
}

void RunStandbysTest::standby_gets_ready_and_takes_no_part() {
    Fixture fixture;
    fixture.train();
    (void)fixture.pass(standby_delay);
    const Output joined = fixture.serve(idle);
    const auto deploys = sent<Deploy>(joined, fixture.instances[idle]);
    QCOMPARE(deploys.size(), std::size_t(1));
    QCOMPARE(deploys[0].stage, standby_stage);
    QVERIFY(!deploys[0].data);
    QVERIFY(sent<Peers>(joined, fixture.instances[idle]).empty());
    QVERIFY(sent<Peers>(joined, fixture.instances[first]).empty());
    const Output ready = fixture.say(idle, InstancePrepared{idle, "hash", -1});
    QCOMPARE(fixture.state(idle), InstanceState::standby);
    QVERIFY(says(ready, "t-1/standby/0#1 is ready as a standby on c"));
    QVERIFY(sent<Begin>(ready, fixture.instances[idle]).empty());
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
    QCOMPARE(instances_of(fixture.context.state(), the_task).size(), std::size_t(2));
    QCOMPARE(standbys_of(fixture.context.state(), the_task).size(), std::size_t(1));
}

void RunStandbysTest::standby_takes_over_and_another_one_is_started() {
    Fixture fixture;
    fixture.train_with_standby();
    const Output died = fixture.kill(second);
    QCOMPARE(fixture.task().generation, Generation(2));
    const auto stops = fixture.stops(died, "c");
    QCOMPARE(stops.size(), std::size_t(1));
    QCOMPARE(stops[0].instance, idle);
    QVERIFY(stops[0].keep);
    const auto starts = fixture.starts(died, "c");
    QCOMPARE(starts.size(), std::size_t(1));
    QCOMPARE(starts[0].instance, second_again);
    QCOMPARE(starts[0].from, idle);
    QVERIFY(fixture.starts(died, "b").empty());
    QCOMPARE(fixture.starts(died, "a").at(0).from, first);  // the surviving instance keeps its process
    QVERIFY(says(died, "t-1/stage-1/0 continues in the process of standby t-1/standby/0#1 on c"));
    QCOMPARE(fixture.state(idle), InstanceState::stopped);

    // The end of an instance whose process has taken over is not a fault.
    (void)fixture.ends("c", idle);
    QVERIFY(fixture.view(idle).exited);
    QCOMPARE(fixture.task().generation, Generation(2));
    QVERIFY(fixture.pass(seconds(5)).sends.empty());  // no new standby starts during the recovery
    (void)fixture.go_on();
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
    QCOMPARE(fixture.view(second_again).node, NodeId("c"));
    const auto next = fixture.starts(fixture.pass(standby_delay), "b");  // b is free now
    QCOMPARE(next.size(), std::size_t(1));
    QCOMPARE(next[0].instance, next_idle);
    (void)fixture.get_ready(next_idle, 2);
    QCOMPARE(fixture.state(next_idle), InstanceState::standby);
}

/// Two stages die at the same time while there are two standbys. One of the standbys is not ready yet.
void RunStandbysTest::one_of_several_standbys_takes_over() {
    const InstanceId other("t-1/standby/1#1");
    Fixture fixture;
    (void)fixture.join("d");
    fixture.train(wanting(2));
    const Output both = fixture.pass(standby_delay);
    QCOMPARE(fixture.starts(both, "c").size(), std::size_t(1));
    QCOMPARE(fixture.starts(both, "d").size(), std::size_t(1));
    (void)fixture.serve(idle);
    (void)fixture.get_ready(other);
    const Output died = fixture.kill(second);
    QCOMPARE(fixture.starts(died, "d").at(0).from, other);
    (void)fixture.ends("d", other);
    const Output again = fixture.ends("a", first_again, 9);
    QCOMPARE(fixture.starts(again, "c").at(0).instance, InstanceId("t-1/stage-0/0#3"));
    QCOMPARE(fixture.starts(again, "c").at(0).from, idle);
}

void RunStandbysTest::standby_takes_over_from_a_lost_node() {
    Fixture fixture;
    fixture.train_with_standby();
    fixture.commit(5, {NodeId("a")}, {NodeId("b"), NodeId("c")});
    const Output lost = fixture.lose("b");
    QCOMPARE(fixture.starts(lost, "c").at(0).instance, second_again);
    QCOMPARE(fixture.starts(lost, "c").at(0).from, idle);
    (void)fixture.ends("c", idle);
    (void)fixture.go_on();
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);

    // Losing the standby's own node causes no recovery.
    Fixture spare;
    spare.train_with_standby();
    (void)spare.lose("c");
    QCOMPARE(spare.task().generation, Generation(1));
    QCOMPARE(spare.state(idle), InstanceState::failed);
    QCOMPARE(spare.starts(spare.pass(standby_delay), "a").size(), std::size_t(1));
}

void RunStandbysTest::standby_takes_over_only_on_a_node_with_the_snapshot() {
    for (const bool copied : {false, true}) {
        Fixture fixture;
        fixture.train_with_standby();
        fixture.commit(5, {NodeId("a")}, copied ? std::vector{NodeId("b"), NodeId("c")} : std::vector{NodeId("b")});
        const Output died = fixture.kill(second);
        QCOMPARE(fixture.starts(died, copied ? "c" : "b").at(0).instance, second_again);
        QCOMPARE(fixture.starts(died, copied ? "c" : "b").at(0).from, copied ? idle : InstanceId());
        QCOMPARE(fixture.state(idle), copied ? InstanceState::stopped : InstanceState::standby);
    }
}

void RunStandbysTest::stage_bound_to_its_file_stays_on_its_node() {
    Fixture fixture;
    fixture.train(wanting(2).set("place.stages", {"a", "b"}));
    const Output started = fixture.pass(standby_delay);
    QVERIFY(fixture.starts(started, "c").empty());
    QCOMPARE(fixture.starts(started, "a").at(0).instance, idle);
    const InstanceId other = fixture.starts(started, "b").at(0).instance;
    (void)fixture.get_ready(idle);
    (void)fixture.get_ready(other);
    const Output died = fixture.kill(second);
    QCOMPARE(fixture.starts(died, "b").at(0).from, other);
    QCOMPARE(fixture.starts(died, "a").at(0).from, first);
    QCOMPARE(fixture.state(idle), InstanceState::standby);

    // The data is on one node only.
    Fixture bound;
    bound.train(testing::TaskFile()
                    .replace("data", {{"kind", "csv"}, {"path", "node:/data.csv"}, {"targets", {"y"}}})
                    .drop_section("train")
                    .set("place.standby", 1));
    QCOMPARE(bound.starts(bound.pass(standby_delay), "a").at(0).instance, idle);
}

void RunStandbysTest::standby_shares_the_node_of_a_stage_if_none_is_free() {
    Fixture fixture;
    fixture.train_with_standby(wanting(1), false);
    QCOMPARE(fixture.view(idle).node, NodeId("a"));
    const Output died = fixture.kill(first);
    QCOMPARE(fixture.starts(died, "a").at(0).instance, first_again);
    QCOMPARE(fixture.starts(died, "a").at(0).from, idle);
}

void RunStandbysTest::waiting_tasks_have_precedence_over_standbys() {
    Fixture fixture;
    fixture.train();
    fixture.context.append(TaskSubmitted{TaskId("u-1"), "u", "text", "/", "", {}, "you", 0});
    const Output started = fixture.pass(standby_delay);
    QVERIFY(fixture.starts(started, "c").empty());
    QCOMPARE(fixture.starts(started, "a").size(), std::size_t(1));
}

void RunStandbysTest::standby_needs_an_equivalent_node() {
    Fixture fixture;
    fixture.train();
    NodeInfo other = fixture.context.state().nodes.at(NodeId("c")).info;
    other.fingerprint = "another processor";
    fixture.context.append(NodeJoined{other});
    QVERIFY(fixture.starts(fixture.pass(standby_delay), "c").empty());
    QCOMPARE(fixture.view(idle).node, NodeId("a"));

    // The node was equal when the standby was started, but has changed since.
    Fixture changed;
    changed.train_with_standby();
    changed.context.append(NodeJoined{other});
    QCOMPARE(changed.starts(changed.kill(second), "b").at(0).from, InstanceId());
}

void RunStandbysTest::standby_is_started_later_if_there_is_no_room() {
    Fixture fixture;
    fixture.context.append(ClusterStarted{"test", "1", {}, {Pool{"small", "", {"a", "b"}, true, 1}}});
    fixture.train(wanting(1), false);
    const Output none = fixture.pass(seconds(20));
    QVERIFY(fixture.starts(none, "a").empty() && fixture.starts(none, "b").empty());
    QVERIFY(says(none, "no node has room"));
    QVERIFY(!says(fixture.pass(seconds(20)), "no node has room"));  // logged only once
    (void)fixture.join("c");
    QCOMPARE(fixture.starts(fixture.pass(standby_retry), "c").size(), std::size_t(1));
}

void RunStandbysTest::task_that_answers_faults_by_failing_has_no_standby() {
    Fixture fixture;
    fixture.train(wanting(1), true, task::FaultAnswer::fail);
    QVERIFY(fixture.pass(minutes(1)).sends.empty());
    Fixture none;
    none.train(wanting(0));
    QVERIFY(none.pass(minutes(1)).sends.empty());
}

void RunStandbysTest::dead_standby_is_restarted() {
    Fixture fixture;
    fixture.train_with_standby();
    const Output died = fixture.ends("c", idle, 9);
    QCOMPARE(fixture.task().generation, Generation(1));
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
    QCOMPARE(fixture.state(idle), InstanceState::failed);
    QVERIFY(says(died, "the instance is no longer a standby"));
    QVERIFY(fixture.stops(died, "c").empty());  // the standby's process has already ended
    QCOMPARE(fixture.starts(fixture.pass(seconds(1)), "c").at(0).instance, next_idle);
    // A standby that reports a failure is told to end.
    (void)fixture.serve(next_idle);
    const Output failed =
        fixture.say(next_idle, InstanceFailed{next_idle, {ErrorCode::exhausted, "no memory", "", ""}});
    QCOMPARE(fixture.stops(failed, "c").at(0).instance, next_idle);
    QVERIFY(!fixture.task().ending);
}

void RunStandbysTest::standby_that_dies_too_often_is_restarted_much_later() {
    Fixture fixture;
    fixture.train();
    Output after = fixture.pass(standby_delay);
    for (Incarnation number = 1; number <= standby_deaths.most; ++number) {
        QCOMPARE(fixture.starts(after, "c").at(0).instance, instance_of(sid_of(idle), number));
        (void)fixture.ends("c", instance_of(sid_of(idle), number), 9);
        after = fixture.pass(seconds(1));
    }
    QVERIFY(fixture.starts(after, "c").empty());
    QVERIFY(says(after, "died too often"));
    QVERIFY(fixture.starts(fixture.pass(minutes(9)), "c").empty());
    QCOMPARE(fixture.starts(fixture.pass(minutes(1) + standby_retry), "c").size(), std::size_t(1));
}

void RunStandbysTest::standby_that_never_gets_ready_is_restarted() {
    Fixture fixture;
    fixture.train();
    const OrchestratorLimits limits;
    (void)fixture.pass(standby_delay);
    const Output late = fixture.pass(limits.registration + limits.preparation + seconds(1));
    QCOMPARE(fixture.stops(late, "c").at(0).instance, idle);
    QVERIFY(fixture.starts(late, "c").empty());
    (void)fixture.ends("c", idle, 9);
    QCOMPARE(fixture.starts(fixture.pass(standby_retry), "c").at(0).instance, next_idle);
    QVERIFY(!fixture.task().ending);
    QCOMPARE(fixture.task().generation, Generation(1));
}

void RunStandbysTest::standby_of_another_version_is_not_kept() {
    Fixture fixture;
    fixture.train();
    (void)fixture.pass(standby_delay);
    (void)fixture.serve(idle);
    const Output other = fixture.say(idle, InstancePrepared{idle, "another hash", -1});
    QCOMPARE(fixture.stops(other, "c").at(0).instance, idle);
    QVERIFY(!fixture.stops(other, "c").at(0).keep);
    QVERIFY(!fixture.task().ending);
}

void RunStandbysTest::disconnected_standby_does_not_take_over() {
    Fixture fixture;
    fixture.train_with_standby();
    const PeerId peer = fixture.instances[idle];
    (void)fixture.context.sessions().close(peer);
    fixture.runs.lifecycle().instance_gone(idle, peer, "its connection broke");
    QCOMPARE(fixture.state(idle), InstanceState::standby);
    QVERIFY(fixture.task().phase_detail.empty());  // the task does not wait for the standby
    const Output died = fixture.kill(second);
    QCOMPARE(fixture.starts(died, "b").at(0).from, InstanceId());
    // The standby has reconnected. The generation of its deployment does not matter.
    fixture.instances[idle] = fixture.connect("process of " + idle.value());
    RegisterInstance back{idle, sid_of(idle), "tcp://", "", "f", 1, InstanceState::prepared};
    back.task = the_task;
    back.generation = 1;
    const Output resumed = fixture.say(idle, back);
    QCOMPARE(sent<ResumeInstance>(resumed, fixture.instances[idle]).at(0).generation, Generation(1));
    QVERIFY(sent<Peers>(resumed, fixture.instances[idle]).empty());
    QVERIFY(sent<Begin>(resumed, fixture.instances[idle]).empty());
    QCOMPARE(fixture.state(idle), InstanceState::standby);
    QCOMPARE(fixture.starts(fixture.ends("b", second_again, 9), "c").at(0).from, idle);
}

void RunStandbysTest::standby_ends_with_its_task() {
    Fixture fixture;
    fixture.train_with_standby();
    const Output stopped = fixture.hear(fixture.connect("client"), StopTask{the_task, "enough"});
    QCOMPARE(sent<EndInstance>(stopped, fixture.instances[idle]).size(), std::size_t(1));
    (void)fixture.ends("a", first);
    (void)fixture.ends("b", second);
    QVERIFY(!fixture.task().over());
    (void)fixture.ends("c", idle);
    QVERIFY(fixture.task().over());
    QCOMPARE(fixture.task().outcome, Outcome::stopped);
    QVERIFY(fixture.pass(minutes(1)).sends.empty());

    // A standby that does not end is killed like other instances.
    Fixture deaf;
    deaf.train_with_standby();
    (void)deaf.hear(deaf.connect("client"), StopTask{the_task, "enough"});
    (void)deaf.ends("a", first);
    (void)deaf.ends("b", second);
    const Output killed = deaf.pass(seconds(20));
    QCOMPARE(deaf.stops(killed, "c").at(0).instance, idle);
    QVERIFY(deaf.task().over());
}

void RunStandbysTest::standby_reconnects_to_a_restarted_orchestrator() {
    Fixture fixture;
    fixture.train_with_standby();
    Restarted after(fixture);
    (void)after.join("a", {first});
    (void)after.join("b", {second});
    const Output joined = after.join("c", {idle});
    QVERIFY(sent<StopInstance>(joined, after.nodes["c"]).empty());
    (void)after.serve(first, InstanceState::running);
    (void)after.serve(second, InstanceState::running);
    const Output back = after.serve(idle, InstanceState::prepared);
    QCOMPARE(sent<ResumeInstance>(back, after.instances[idle]).size(), std::size_t(1));
    QCOMPARE(after.state(idle), InstanceState::standby);
    QVERIFY(sent<StartInstance>(after.pass(minutes(1)), after.nodes["c"]).empty());
    QCOMPARE(sent<StartInstance>(after.kill(second), after.nodes["c"]).at(0).from, idle);

    // The standby's process ended meanwhile.
    Restarted without(fixture);
    (void)without.join("a", {first});
    (void)without.join("b", {second});
    (void)without.join("c");
    (void)without.serve(first, InstanceState::running);
    (void)without.serve(second, InstanceState::running);
    QCOMPARE(sent<StartInstance>(without.pass(seconds(2)), without.nodes["c"]).at(0).instance, next_idle);
    QCOMPARE(without.task().generation, Generation(1));
}

void RunStandbysTest::each_standby_has_a_lease_that_ends_once() {
    Fixture fixture;
    fixture.train_with_standby();
    const auto lease_of = [&](const InstanceId& id) {
        std::vector<const LeaseView*> found;
        for (const auto& [number, lease] : fixture.context.state().leases)
            if (lease.lease.instance == id) found.push_back(&lease);
        return found.size() == 1 ? found[0] : nullptr;
    };
    // a standby computes nothing, so its lease is not active
    QVERIFY(lease_of(idle) && lease_of(idle)->state == LeaseState::granted);
    (void)fixture.kill(second);
    QCOMPARE(lease_of(idle)->state, LeaseState::finishing);
    QVERIFY(lease_of(idle)->reason.find("t-1/stage-1/0") != std::string::npos);
    (void)fixture.ends("c", idle);
    QCOMPARE(lease_of(idle)->state, LeaseState::reclaimed);
    QCOMPARE(lease_of(idle)->activated, TimePoint());
    (void)fixture.go_on();
    QCOMPARE(lease_of(second_again)->state, LeaseState::active);
    QCOMPARE(lease_of(second)->state, LeaseState::reclaimed);
    const std::uint64_t receipts = fixture.context.state().lease_book.receipts;
    (void)fixture.ends("c", idle);
    QCOMPARE(fixture.context.state().lease_book.receipts, receipts);
}

void RunStandbysTest::standby_uses_memory_but_no_processor() {
    Fixture fixture;
    fixture.train_with_standby();
    const NodeUse use = use_of(fixture.context.state());
    QCOMPARE(use.nodes.at(NodeId("a")).threads, 3.0);
    const NodeLoad& load = use.nodes.at(NodeId("c"));
    QCOMPARE(load.threads, 0.0);
    QCOMPARE(load.instances, 1);
    QVERIFY(load.memory >= process_memory);
    (void)fixture.ends("c", idle, 9);
    QVERIFY(!use_of(fixture.context.state()).nodes.contains(NodeId("c")));
}

/// The agent on a could not start a stage, so a standby there would be useless.
void RunStandbysTest::standby_leaves_an_unfit_node() {
    Fixture fixture;
    fixture.train_with_standby(wanting(1), false);
    QCOMPARE(fixture.view(idle).node, NodeId("a"));
    (void)fixture.join("d");
    const Error why{ErrorCode::failed, "the process could not be started", "a", "see its log"};
    (void)fixture.hear(fixture.nodes["a"], InstanceFailed{first, why});
    QCOMPARE(fixture.task().generation, Generation(2));
    QVERIFY(fixture.view(first_again).node != NodeId("a"));
    const Output later = fixture.pass(seconds(1));
    QCOMPARE(fixture.state(idle), InstanceState::stopped);
    const auto stops = fixture.stops(later, "a");
    QVERIFY(std::ranges::any_of(stops, [](const StopInstance& stop) { return stop.instance == idle && !stop.keep; }));
    (void)fixture.ends("a", idle);
    (void)fixture.go_on();
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
    QVERIFY(fixture.starts(fixture.pass(standby_retry + seconds(1)), "a").empty());
    QVERIFY(fixture.context.state().instances.contains(next_idle));
    QVERIFY(fixture.view(next_idle).node != NodeId("a"));
}

DIVISI_TEST(RunStandbysTest)

}  // namespace run_standbys_test

#include "run_standbys_test.moc"
