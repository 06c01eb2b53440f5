// SPDX-License-Identifier: Apache-2.0
#include "backend/control/planned_placement.h"

#include <QTest>

using namespace divisi;
using namespace divisi::control;

class PlannedPlacementTest : public QObject {
    Q_OBJECT

    static void add(ClusterState& state, const char* id, const char* host, NodeState now = NodeState::ready) {
        NodeView view;
        view.info.id = NodeId(id);
        view.info.host = host;
        view.info.devices = {{"cpu", "a processor", 4, 8 << 20}, {"cuda:0", "a GPU", 0, 2 << 20}};
        view.state = now;
        state.nodes[NodeId(id)] = view;
    }
    static std::shared_ptr<const plan::DeviceProfile> profile(const Device& device) {
        auto made = plan::default_profile(device.name);
        made.device_type = device.type;
        return std::make_shared<const plan::DeviceProfile>(std::move(made));
    }

private Q_SLOTS:
    void stages_go_round_the_ready_nodes();
    void wanted_nodes_and_devices_are_taken();
    void without_nodes_there_is_one_host();
    void memory_is_the_nodes_where_it_is_stated();
    void named_nodes_are_known_while_they_are_away();
};

void PlannedPlacementTest::stages_go_round_the_ready_nodes() {
    ClusterState state;
    add(state, "mic-1/node-1", "alpha");
    add(state, "mic-1/node-2", "alpha");
    add(state, "mic-2/node-1", "beta", NodeState::lost);
    PlacementWish wish;
    wish.threads = 2;
    const plan::Placement placement = node_pool(state, wish, profile)(4);
    QCOMPARE(placement.stages.size(), std::size_t{4});
    QCOMPARE(placement.stages[1].name, std::string("mic-1/node-2 cpu"));
    QCOMPARE(placement.stages[2].name, std::string("mic-1/node-1 cpu"));
    QCOMPARE(placement.hosts.size(), std::size_t{1});
    QCOMPARE(placement.hosts[0].cores, 4.0);
    QCOMPARE(placement.stages[0].threads, 2.0);
    QCOMPARE(*placement.stages[3].memory, Bytes{2 << 20});  // four stages share the host's
    QVERIFY(!placement.data);
}

void PlannedPlacementTest::wanted_nodes_and_devices_are_taken() {
    ClusterState state;
    add(state, "mic-1/node-1", "alpha");
    add(state, "mic-2/node-1", "beta");
    PlacementWish wish;
    wish.stage_nodes = {"mic-2/node-1", "mic-1/node-1"};
    wish.data_node = "mic-2/node-1";
    wish.device = "cuda";
    wish.threads = 3;
    const plan::Placement placement = node_pool(state, wish, profile)(2);
    QCOMPARE(placement.stages[0].name, std::string("mic-2/node-1 cuda:0"));
    QCOMPARE(placement.stages[0].profile->device_type, std::string("a GPU"));
    QCOMPARE(placement.stages[0].threads, 1.0);  // of the host, while the GPU computes
    QVERIFY(placement.stages[0].host != placement.stages[1].host);
    QCOMPARE(placement.data->host, placement.stages[0].host);
}

void PlannedPlacementTest::without_nodes_there_is_one_host() {
    PlacementWish wish;
    wish.others = {"mic-2/node-1"};
    const plan::NodePool pool = one_host(wish, {"cpu", "a processor", 2, 6 << 20}, profile);
    QVERIFY(!pool.complete && pool.find("mic-2/node-1") >= 0);
    const plan::Placement placement = pool(3);
    QCOMPARE(placement.hosts.size(), std::size_t{1});
    QCOMPARE(placement.hosts[0].cores, 2.0);
    QCOMPARE(*placement.stages[2].memory, Bytes{2 << 20});
    QVERIFY(!node_pool({}, wish, profile).complete);
}

void PlannedPlacementTest::memory_is_the_nodes_where_it_is_stated() {
    ClusterState state;
    add(state, "mic-1/node-1", "alpha");
    add(state, "mic-1/node-2", "alpha");
    state.nodes[NodeId("mic-1/node-2")].info.memory = 1 << 20;
    state.nodes[NodeId("mic-1/node-2")].info.secure = true;
    const plan::NodePool pool = node_pool(state, {}, profile);
    const plan::Placement placement = pool(4);
    QCOMPARE(*placement.stages[0].memory, Bytes{4 << 20});  // two stages share the host's
    QCOMPARE(*placement.stages[1].memory, Bytes{1 << 19});  // two share the node's
    QCOMPARE(pool.secure_nodes(), std::vector<std::string>{"mic-1/node-2"});
}

void PlannedPlacementTest::named_nodes_are_known_while_they_are_away() {
    ClusterState state;
    add(state, "mic-1/node-1", "alpha");
    add(state, "mic-2/node-1", "beta", NodeState::lost);
    PlacementWish wish;
    wish.stage_nodes = {"", "mic-2/node-1"};
    const plan::NodePool pool = node_pool(state, wish, profile);
    QCOMPARE(pool.ready, std::size_t{1});
    QCOMPARE(pool(3).stages[1].node, std::string("mic-2/node-1"));
    QCOMPARE(pool(3).stages[2].node, std::string("mic-1/node-1"));  // nobody asked for the other
    QVERIFY(pool.complete && pool.find("mic-3/node-1") < 0);
}

QTEST_APPLESS_MAIN(PlannedPlacementTest)
#include "planned_placement_test.moc"
