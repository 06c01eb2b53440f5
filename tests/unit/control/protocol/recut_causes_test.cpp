// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/recut_adviser.h"
#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/instance_messages.h"
#include "backend/control/protocol/node_messages.h"
#include "backend/control/protocol/recut_cause.h"
#include "backend/control/types/mic_types.h"

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/plan_at_once.h"

namespace recut_causes_test {

using namespace divisi;
using namespace divisi::control;

namespace {

const TaskId the_task("t-1");
const InstanceId first("t-1/stage-0/0#1"), second("t-1/stage-1/0#1");
const Sid forward_0("t-1/stage-0/forward"), forward_1("t-1/stage-1/forward");

Result<PlanSummary> plan_of(const SubmitTask&) {
    PlanSummary plan;
    plan.name = "t";
    plan.stages = 2;
    plan.cuts = {"/a"};
    plan.steps = 1'000'000;
    plan.plan_hash = "hash";
    plan.units = {{{Sid("task/stage-0/forward"), "forward", {}, {}}, 0},
                  {{Sid("task/stage-1/forward"), "forward", {}, {Sid("task/stage-0/forward")}}, 1}};
    return plan;
}

/// A fixture with an orchestrator, two MICs, their gateways, and a task whose two even stages were measured.
struct Cluster {
    Orchestrator core;
    TimePoint now{std::chrono::seconds(1000)};
    std::uint64_t last_peer = 0;
    std::map<std::string, PeerId> gateways;
    std::map<InstanceId, PeerId> instances;

    Cluster() {
        (void)core.start("test", "1", now);
        for (const std::string& number : {std::string("1"), std::string("2")}) {
            const NodeId node("mic-" + number + "/n");
            (void)say(connect(Role::agent), RegisterNode{{node, MicId("mic-" + number), "host", "f", {}, "", "", 1}});
            DeviceInfo gateway;
            gateway.name = "mg-" + number;
            gateway.role = mesh::DeviceRole::gateway;
            gateway.mic = MicId("mic-" + number);
            gateways[gateway.name] = connect(Role::agent);
            (void)say(gateways[gateway.name], RegisterDevice{gateway, 0});
        }
        train();
        measure();
    }
    Output step(const Input& input) {
        now += std::chrono::milliseconds(1);
        return test::plan_at_once(core, core.step(input, now), now, plan_of);
    }
    Output say(PeerId peer, Message message) { return step(Received{peer, 1, std::move(message)}); }
    PeerId connect(Role role) {
        const PeerId peer(++last_peer);
        (void)step(PeerConnected{peer, {true, role, "someone", ""}});
        (void)say(peer, Hello{"test", "1", role});
        return peer;
    }
    void train() {
        const std::string text = testing::TaskFile().drop_section("train").set("split.cuts", {"/a"}).text();
        (void)say(connect(Role::operate), SubmitTask{text, "/", "", {}, "me"});
        for (const InstanceId& id : {first, second}) {
            instances[id] = connect(Role::agent);
            (void)say(instances[id], RegisterInstance{id, sid_of(id), "ipc://d", "", "f", 1});
        }
        for (const InstanceId& id : {first, second})
            (void)say(instances[id], InstancePrepared{id, "hash", id == first ? 5 : -1});
        const auto task = core.state().tasks.find(the_task);
        if (task == core.state().tasks.end() || task->second.phase != TaskPhase::exchange)
            qFatal("the task does not train");
    }
    void measure() {
        for (std::int64_t number = 1; number <= advised_steps; ++number) {
            StepRecord record;
            record.step = number;
            record.step_ms = 100;
            (void)say(instances[second], StepReport{the_task, second, record});
        }
        for (int i = 0; i < advised_reports; ++i) {
            for (const InstanceId& id : {first, second}) {
                InstanceLoad load;
                load.instance = id;
                load.step = advised_steps;
                load.busy_share = 0.3;
                (void)say(instances[id], LoadReport{load});
            }
            if (!poll().empty()) qFatal("a trial was started for even stages");
        }
    }
    /// Returns the cause named in the advice after the next tick; empty if no trial was started.
    std::string poll() {
        for (const Job& job : step(Tick{}).jobs) {
            if (!holds_alternative<RecutTrialJob>(job.what)) continue;
            const Output told = step(JobDone{job.id, Result<RecutTrial>(RecutTrial{50, 35, {"/b"}})});
            for (const Event& event : told.events)
                if (const auto* advised = get_if<RecutAdvised>(&event.body)) return cause_of(advised->advice);
        }
        return "";
    }
};

}  // namespace

/// Tests that events elsewhere in the orchestrator start a trial in the adviser.
class RecutCausesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void advice_of_a_module_reaches_the_adviser();
    void new_policy_reaches_the_adviser();
    void findings_of_a_mic_reach_the_adviser();
    void abnormal_state_reaches_the_adviser();
    void causes_are_bounded();
};

void RecutCausesTest::advice_of_a_module_reaches_the_adviser() {
    Cluster cluster;
    const PeerId module = cluster.connect(Role::module);
    (void)cluster.say(
        module, DescribeModule{{"watcher", "1", {ModuleInput::load}, {AdviceKind::node_avoidance}, false, 1000, 0}});
    QVERIFY(cluster.poll().empty());
    const Advice avoid{AdviceKind::node_avoidance, "mic-1/n", "", 0, 0.9, 10'000, "its host is busy"};
    (void)cluster.say(module, Advise{0, {avoid}});
    QCOMPARE(cluster.poll(), std::string("module watcher advises avoid:mic-1/n: its host is busy"));
}

void RecutCausesTest::new_policy_reaches_the_adviser() {
    Cluster cluster;
    (void)cluster.say(cluster.connect(Role::operate), SetPolicies{{"window=16MiB"}});
    QCOMPARE(cluster.poll(), std::string("policy 1 by someone: window=16MiB"));
}

void RecutCausesTest::findings_of_a_mic_reach_the_adviser() {
    Cluster cluster;
    const mesh::mic::Edge edge{forward_0, forward_1, MicId("mic-1"), MicId("mic-2")};
    const mesh::mic::Broken broken{edge, mesh::mic::Cause::nothing_arrives, cluster.now};
    (void)cluster.say(cluster.gateways["mg-2"], MicReport{{the_task, 1, {forward_1}, {edge}}, {broken}});
    QCOMPARE(cluster.poll(), std::string("MIC mic-2 finds that the dependency t-1/stage-0/forward > "
                                         "t-1/stage-1/forward is broken: nothing arrives from mic-1 to mic-2"));
}

void RecutCausesTest::abnormal_state_reaches_the_adviser() {
    Cluster cluster;
    AbnormalState state;
    state.kind = mesh::AbnormalKind::buffer_full;
    state.neighbour = 2;
    state.flows = {{the_task, Sid("t-1/stage-0/0"), Sid("t-1/stage-1/0"), {1, 2}}};
    (void)cluster.say(cluster.gateways["mg-1"], state);
    QCOMPARE(cluster.poll(), std::string("mg-1 has had no room for chunks from mg-2 for 1 s"));
    (void)cluster.say(cluster.gateways["mg-1"], state);
    QVERIFY(cluster.poll().empty());
}

void RecutCausesTest::causes_are_bounded() {
    RecutCauses causes;
    const TimePoint begin{std::chrono::seconds(1000)};
    for (int i = 0; i < 1000; ++i) causes.add({"key " + std::to_string(i), "cause " + std::to_string(i)}, begin);
    QCOMPARE(causes.take(), std::string("cause 0; cause 1; cause 2; and 61 more"));
    causes.add({"another", "another"}, begin + cause_quiet - std::chrono::milliseconds(1));
    QVERIFY(causes.empty());
    causes.add({"another", "another"}, begin + cause_quiet);
    QCOMPARE(causes.take(), std::string("another"));
    QVERIFY(causes.empty());
    // Causes of a task that is never examined may accumulate for days.
    for (int i = 0; i < 1000; ++i)
        causes.add({"key " + std::to_string(i % 10), "cause " + std::to_string(i)}, begin + (i / 10 + 2) * cause_quiet);
    QCOMPARE(causes.take(), std::string("cause 0; cause 1; cause 2; and 61 more"));
}

DIVISI_TEST(RecutCausesTest)

}  // namespace recut_causes_test

#include "recut_causes_test.moc"
