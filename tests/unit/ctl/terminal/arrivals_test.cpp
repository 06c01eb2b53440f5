// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/terminal/arrivals.h"
#include "backend/control/protocol/message.h"
#include "backend/control/protocol/state_messages.h"

#include "tests/support/test_program.h"

namespace arrivals_test {

using namespace divisi;
using namespace divisi::ctl;
using Names = std::vector<std::string>;

class ArrivalsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nodes_present_in_a_snapshot_have_arrived();
    void events_add_and_remove_nodes();
    void later_snapshot_replaces_earlier_state();
    void cluster_without_devices_reports_none_missing();
    void missing_nodes_are_named();

private:
    static control::NodeInfo node(const char* id) {
        control::NodeInfo info;
        info.id = NodeId(id);
        return info;
    }
    static control::MeshMember device(const char* name) {
        control::MeshMember member;
        member.name = name;
        return member;
    }
    static control::Message push(control::EventBody body) {
        control::EventPush push;
        push.events.emplace_back().body = std::move(body);
        return push;
    }
    static control::ClusterState state() {
        control::ClusterState state;
        state.nodes[NodeId("m/node-1")].info = node("m/node-1");
        state.nodes[NodeId("m/node-1")].state = control::NodeState::ready;
        state.nodes[NodeId("m/node-2")].info = node("m/node-2");
        state.nodes[NodeId("m/node-2")].state = control::NodeState::left;
        state.devices["mg-1"] = device("mg-1");
        return state;
    }
};

void ArrivalsTest::nodes_present_in_a_snapshot_have_arrived() {
    Arrivals here;
    QCOMPARE(here.nodes(), 0U);
    control::Snapshot snapshot;
    snapshot.state = state();
    here.take(snapshot);
    QCOMPARE(here.nodes(), 1U);  // one node has left
    QCOMPARE(here.missing({"sr-1", "mg-1", "mg-2"}), (Names{"sr-1", "mg-2"}));
}

void ArrivalsTest::events_add_and_remove_nodes() {
    Arrivals here;
    here.look_at(state());
    here.take(push(control::NodeJoined{node("m/node-2")}));
    here.take(push(control::NodeJoined{node("m/node-2")}));  // joins again after its connection broke
    QCOMPARE(here.nodes(), 2U);
    here.take(push(control::DeviceJoined{device("sr-1")}));
    QCOMPARE(here.missing({"mg-1", "sr-1"}), Names{});
    here.take(push(control::DeviceLeft{"mg-1"}));
    QCOMPARE(here.missing({"mg-1", "sr-1"}), Names{"mg-1"});
    here.take(control::Message(control::Done{}));
    QCOMPARE(here.missing({"mg-1", "sr-1"}), Names{"mg-1"});
}

void ArrivalsTest::later_snapshot_replaces_earlier_state() {
    Arrivals here;
    here.take(push(control::NodeJoined{node("m/node-7")}));
    here.take(push(control::DeviceJoined{device("sr-7")}));
    here.look_at(state());  // snapshot of an orchestrator that restarted
    QCOMPARE(here.nodes(), 1U);
    QCOMPARE(here.missing({"sr-7"}), Names{"sr-7"});
}

void ArrivalsTest::cluster_without_devices_reports_none_missing() { QVERIFY(Arrivals().missing({}).empty()); }

void ArrivalsTest::missing_nodes_are_named() {
    QCOMPARE(not_registered({"sr-1"}),
             std::string("sr-1 has not registered within 2 s: plans use no path through it until it has"));
    QCOMPARE(not_registered({"mg-1", "sr-1"}),
             std::string("mg-1, sr-1 have not registered within 2 s: plans use no path through them until they have"));
}

DIVISI_TEST(ArrivalsTest)

}  // namespace arrivals_test

#include "arrivals_test.moc"
