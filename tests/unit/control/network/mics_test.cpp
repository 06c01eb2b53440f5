// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/mics.h"
#include "backend/control/protocol/state_messages.h"

#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace mics_test {

using namespace divisi;
using namespace divisi::control;
using mesh::mic::Broken;
using mesh::mic::Cause;

namespace {

const TaskId the_task("t-1");
const InstanceId first("t-1/stage-0/0#1"), second("t-1/stage-1/0#1");
const Sid forward_0("t-1/stage-0/forward/0"), forward_1("t-1/stage-1/forward/0");

/// A fixture with two MICs with a gateway each, and a task with a stage in each of them.
struct Mesh : test::Fixture {
    MeshDevices devices{context};
    Mics mics{context, devices};
    const PeerId mg_1{1}, mg_2{2};

    Mesh() {
        context.follow([this](const Event& event) {
            devices.follow(event);
            mics.follow(event);
        });
        for (const char* name : {"mic-1/a", "mic-2/b"}) {
            NodeInfo info;
            info.id = NodeId(name);
            info.mic = MicId(std::string(name).substr(0, 5));
            context.append(NodeJoined{info});
        }
        gateway(1, "1");
        gateway(2, "2");
        mics.poll();
        clear();
    }
    void gateway(std::uint64_t peer, const std::string& number) {
        DeviceInfo info;
        info.name = "mg-" + number;
        info.role = mesh::DeviceRole::gateway;
        info.mic = MicId("mic-" + number);
        if (context.sessions().find(PeerId(peer)) == context.sessions().end()) connect(peer);
        say(devices, PeerId(peer), RegisterDevice{info});
    }
    void train() {
        context.append(TaskSubmitted{the_task, "t", "", "", "", {}, "", 0});
        context.append(PhaseChanged{the_task, TaskPhase::registration, ""});
        TaskPlanned planned;
        planned.task = the_task;
        planned.units = {{forward_0, "forward", first, {}}, {forward_1, "forward", second, {forward_0}}};
        context.append(planned);
        context.append(InstancePlaced{the_task, first, Sid("t-1/stage-0/0"), NodeId("mic-1/a"), 0});
        context.append(InstancePlaced{the_task, second, Sid("t-1/stage-1/0"), NodeId("mic-2/b"), 1});
        mics.poll();
        context.append(PhaseChanged{the_task, TaskPhase::exchange, ""});
        for (const InstanceId& one : {first, second}) context.append(InstanceChanged{one, InstanceState::running, ""});
        mics.poll();
    }
    void end() {
        context.append(TaskEnding{the_task, Outcome::succeeded, {}, "all steps done"});
        mics.poll();
    }
    static Broken broken() {
        return {{forward_0, forward_1, MicId("mic-1"), MicId("mic-2")},
                Cause::silent,
                TimePoint(std::chrono::seconds(990))};
    }
    void report(const std::vector<Broken>& broken, std::vector<Sid> units = {forward_1}) {
        clear();
        say(mics, mg_2,
            MicReport{{the_task, 1, std::move(units), {{forward_0, forward_1, MicId("mic-1"), MicId("mic-2")}}},
                      broken});
    }
    std::vector<MicReport> of_mic_2() { return mics.state().mics.at(1).reports; }
};

}  // namespace

/// Tests the orchestrator's side of the MICs: its messages to the gateways, and its handling of their reports.
class MicsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void gateways_get_the_units_once_the_task_trains() {
        Mesh mesh;
        mesh.train();
        const auto told = mesh.sent<MicUnits>();
        QCOMPARE(told.size(), 2U);  // nothing is sent while the task only registers
        QCOMPARE(told[0].first, mesh.mg_1);
        // the gateway's own unit, and the unit at the other end of its dependency
        QCOMPARE(told[0].second.part.units.size(), 2U);
        QCOMPARE(told[0].second.part.instances.at(1).mic, MicId("mic-2"));
        QVERIFY(told[0].second.part.instances.at(0).runs);
        mesh.clear();
        mesh.mics.poll();
        QVERIFY(mesh.sent<MicUnits>().empty());
    }
    void load_reports_go_to_gateways_that_watch_the_instance() {
        Mesh mesh;
        mesh.train();
        mesh.clear();
        InstanceLoad load;
        load.instance = first;
        InstanceLoad strange;
        strange.instance = InstanceId("other-1/stage-0/0#1");
        mesh.mics.pass_on({load, strange});
        const auto pushed = mesh.sent<LoadPush>();
        QCOMPARE(pushed.size(), 2U);
        QCOMPARE(pushed[0].second.loads.size(), 1U);
    }
    void broken_dependency_and_its_end_are_logged_once() {
        Mesh mesh;
        mesh.train();
        mesh.report({Mesh::broken()});
        QCOMPARE(mesh.logged<Noted>().size(), 1U);
        const Noted noted = mesh.logged<Noted>()[0];
        QCOMPARE(noted.component, std::string("MIC mic-2"));
        QCOMPARE(noted.task, the_task.value());
        QCOMPARE(noted.text, std::string("the dependency t-1/stage-0/forward/0 > t-1/stage-1/forward/0 is broken: "
                                         "t-1/stage-0/forward/0 (mic-1) is silent, for 10 s already"));
        mesh.report({Mesh::broken()});
        QVERIFY(mesh.logged<Noted>().empty());
        mesh.report({});
        QCOMPARE(mesh.logged<Noted>().at(0).severity, Severity::info);
        QVERIFY(mesh.logged<Noted>()[0].text.find("makes progress again") != std::string::npos);
    }
    void stalled_chain_is_returned_once() {
        Mesh mesh;
        mesh.train();
        mesh.report({Mesh::broken()});
        const auto stalled = mesh.mics.take_stalled();
        QCOMPARE(stalled.size(), 1U);
        QVERIFY(stalled[0].task == the_task && stalled[0].gateway == "mg-2");
        QCOMPARE(stalled[0].what, std::string("MIC mic-2 finds that the dependency t-1/stage-0/forward/0 > "
                                              "t-1/stage-1/forward/0 is broken: t-1/stage-0/forward/0 (mic-1) is "
                                              "silent"));
        mesh.report({Mesh::broken()});
        mesh.report({});
        QVERIFY(mesh.mics.take_stalled().empty());
    }
    void topology_is_removed_together_with_the_task() {
        Mesh mesh;
        mesh.train();
        mesh.report({Mesh::broken()});
        QCOMPARE(mesh.of_mic_2().size(), 1U);
        mesh.clear();
        mesh.end();
        QCOMPARE(mesh.sent<MicUnits>().size(), 2U);
        QVERIFY(mesh.sent<MicUnits>()[0].second.part.units.empty());
        mesh.report({}, {});
        QVERIFY(mesh.of_mic_2().empty());
        QVERIFY(mesh.logged<Noted>().at(0).text.find("is no longer watched") != std::string::npos);
    }
    void only_units_of_the_task_are_kept() {
        Mesh mesh;
        mesh.train();
        Broken strange = Mesh::broken();
        strange.edge.from = Sid("other-1/x");
        mesh.report({strange}, {forward_1, forward_1, Sid("t-1/made-up")});
        QCOMPARE(mesh.of_mic_2().at(0).topology.units, std::vector{forward_1});
        QVERIFY(mesh.of_mic_2()[0].broken.empty());
    }
    void only_a_registered_gateway_may_report_for_its_mic() {
        Mesh mesh;
        mesh.train();
        mesh.clear();
        mesh.say(mesh.mics, mesh.connect(7), MicReport{});
        QCOMPARE(mesh.refusal(), std::string("only a registered gateway may report for its MIC"));
    }
    void restarted_gateway_gets_everything_again() {
        Mesh mesh;
        mesh.train();
        mesh.report({Mesh::broken()});
        mesh.clear();
        mesh.gateway(2, "2");
        mesh.mics.poll();
        QCOMPARE(mesh.sent<MicUnits>().size(), 1U);
        QVERIFY(mesh.of_mic_2().empty());
    }
};

DIVISI_TEST(MicsTest)

}  // namespace mics_test

#include "mics_test.moc"
