// SPDX-License-Identifier: Apache-2.0
#include "backend/submit/node_pool.h"

#include "backend/submit/link_prices.h"
#include "tests/support/test_program.h"

namespace node_pool_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::submit;

class NodePoolTest : public QObject {
    Q_OBJECT

    static void add(ClusterState& state, const char* id, const char* host, NodeState now = NodeState::ready) {
        NodeView view;
        view.info.id = NodeId(id);
        view.info.host = host;
        view.info.devices = {{"cpu", "a processor", 4, 8 << 20}, {"cuda:0", "a GPU", 0, 2 << 20}};
        view.state = now;
        state.nodes[NodeId(id)] = view;
    }
    static std::shared_ptr<const price::DeviceProfile> profile(const Device& device) {
        auto made = price::default_profile(device.name);
        made.device_type = device.type;
        return std::make_shared<const price::DeviceProfile>(std::move(made));
    }

private Q_SLOTS:
    void stages_are_assigned_to_ready_nodes_in_turn();
    void plan_uses_the_nodes_of_the_placement();
    void requested_nodes_and_devices_are_used();
    void without_nodes_there_is_one_host();
    void stated_memory_of_a_node_is_used();
    void named_nodes_are_known_while_they_are_away();
    void links_are_measured_or_stated_or_default();
    void most_specific_stated_link_applies();
    void single_machine_keeps_its_measured_links();
};

void NodePoolTest::stages_are_assigned_to_ready_nodes_in_turn() {
    ClusterState state;
    add(state, "mic-1/node-1", "alpha");
    add(state, "mic-1/node-2", "alpha");
    add(state, "mic-2/node-1", "beta", NodeState::lost);
    PlacementWish wish;
    wish.threads = 2;
    const price::Placement placement = node_pool(state, wish, profile)(4);
    QCOMPARE(placement.stages.size(), std::size_t{4});
    QCOMPARE(placement.stages[1].name, std::string("mic-1/node-2 cpu"));
    QCOMPARE(placement.stages[2].name, std::string("mic-1/node-1 cpu"));
    QCOMPARE(placement.hosts.size(), std::size_t{1});
    QCOMPARE(placement.hosts[0].cores, 4.0);
    QCOMPARE(placement.stages[0].threads, 2.0);
    QCOMPARE(*placement.stages[3].memory, Bytes{2 << 20});  // four stages share the host's memory
    QVERIFY(!placement.data);
}

void NodePoolTest::plan_uses_the_nodes_of_the_placement() {
    ClusterState state;
    for (const char* name : {"m/a", "m/b", "m/c", "m/d"}) add(state, name, "host");
    TaskView busy;
    busy.phase = TaskPhase::exchange;
    state.tasks[TaskId("t-1")] = busy;
    for (const char* name : {"m/a", "m/c"}) {
        InstanceView instance;
        instance.task = TaskId("t-1");
        instance.node = NodeId(name);
        state.instances[InstanceId(name)] = instance;
    }
    PlanSummary plan;
    plan.stages = 3;
    const std::vector<NodeId> placed = place_plan(state, plan).value();
    const price::Placement planned = node_pool(state, {}, profile)(3);
    QCOMPARE(placed.front(), NodeId("m/b"));  // because m/a is in use
    for (std::size_t i = 0; i < placed.size(); ++i) QCOMPARE(planned.stages[i].node, placed[i].value());
}

void NodePoolTest::requested_nodes_and_devices_are_used() {
    ClusterState state;
    add(state, "mic-1/node-1", "alpha");
    add(state, "mic-2/node-1", "beta");
    PlacementWish wish;
    wish.stage_nodes = {"mic-2/node-1", "mic-1/node-1"};
    wish.data_node = "mic-2/node-1";
    wish.device = "cuda";
    wish.threads = 3;
    const price::Placement placement = node_pool(state, wish, profile)(2);
    QCOMPARE(placement.stages[0].name, std::string("mic-2/node-1 cuda:0"));
    QCOMPARE(placement.stages[0].profile->device_type, std::string("a GPU"));
    QCOMPARE(placement.stages[0].threads, 1.0);  // one thread of the host while the GPU computes
    QVERIFY(placement.stages[0].host != placement.stages[1].host);
    QCOMPARE(placement.data->host, placement.stages[0].host);
}

void NodePoolTest::without_nodes_there_is_one_host() {
    PlacementWish wish;
    wish.others = {"mic-2/node-1"};
    const price::NodePool pool = one_host(wish, {"cpu", "a processor", 2, 6 << 20}, profile);
    QVERIFY(!pool.complete && pool.find("mic-2/node-1") >= 0);
    const price::Placement placement = pool(3);
    QCOMPARE(placement.hosts.size(), std::size_t{1});
    QCOMPARE(placement.hosts[0].cores, 2.0);
    QCOMPARE(*placement.stages[2].memory, Bytes{2 << 20});
    QVERIFY(!node_pool({}, wish, profile).complete);
}

void NodePoolTest::stated_memory_of_a_node_is_used() {
    ClusterState state;
    add(state, "mic-1/node-1", "alpha");
    add(state, "mic-1/node-2", "alpha");
    state.nodes[NodeId("mic-1/node-2")].info.memory = 1 << 20;
    state.nodes[NodeId("mic-1/node-2")].info.secure = true;
    const price::NodePool pool = node_pool(state, {}, profile);
    const price::Placement placement = pool(4);
    QCOMPARE(*placement.stages[0].memory, Bytes{4 << 20});  // two stages share the host's memory
    QCOMPARE(*placement.stages[1].memory, Bytes{1 << 19});  // two stages share the node's memory
    QCOMPARE(pool.secure_nodes(), std::vector<std::string>{"mic-1/node-2"});
}

void NodePoolTest::named_nodes_are_known_while_they_are_away() {
    ClusterState state;
    add(state, "mic-1/node-1", "alpha");
    add(state, "mic-2/node-1", "beta", NodeState::lost);
    PlacementWish wish;
    wish.stage_nodes = {"", "mic-2/node-1"};
    const price::NodePool pool = node_pool(state, wish, profile);
    QCOMPARE(pool.ready, std::size_t{1});
    QCOMPARE(pool(3).stages[1].node, std::string("mic-2/node-1"));
    QCOMPARE(pool(3).stages[2].node, std::string("mic-1/node-1"));  // the other node was not requested
    QVERIFY(pool.complete && pool.find("mic-3/node-1") < 0);
}

namespace {

LinkMeasured measured(const char* from, const char* to, LinkTransport transport, double latency_s) {
    return {NodeId(), NodeId(), from, to, transport, {latency_s, 0, 1e-5, 2e9, 0}};
}

}  // namespace

void NodePoolTest::links_are_measured_or_stated_or_default() {
    ClusterState state;
    add(state, "mic-1/node-1", "alpha");
    add(state, "mic-1/node-2", "alpha");
    add(state, "mic-2/node-1", "beta");
    for (auto& [id, node] : state.nodes) node.info.blob_endpoint = "tcp://x";
    state.stated_links = {{"mic-1/*", "mic-2/*", 2e-3, {}}};
    apply(state, {1, TimePoint{}, measured("alpha", "alpha", LinkTransport::tcp, 5e-5)});
    apply(state, {2, TimePoint{}, measured("alpha", "beta", LinkTransport::ipc, 7e-5)});  // unused transport
    price::Links links = node_pool(state, {}, profile).links;
    QCOMPARE(links.of(0, 0).source, price::LinkSource::measured);
    QCOMPARE(links.of(0, 0).latency_s, 4e-5);  // half a round trip minus the message time
    QCOMPARE(links.of(0, 0).message_s, 1e-5);
    QCOMPARE(links.of(0, 0).occupancy(2'000'000'000), 1 + 1e-5);
    for (const auto& [from, to] : {std::pair(0, 1), std::pair(1, 0)}) {
        QCOMPARE(links.of(from, to).source, price::LinkSource::stated);
        QCOMPARE(links.of(from, to).latency_s, 2e-3);
        QCOMPARE(links.of(from, to).bytes_per_s, price::default_links().between_hosts.bytes_per_s);
    }
    QCOMPARE(links.of(1, 1).source, price::LinkSource::standard);

    apply(state, {3, TimePoint{}, measured("beta", "alpha", LinkTransport::tcp, 9e-5)});
    links = node_pool(state, {}, profile).links;
    QCOMPARE(links.of(1, 0).source, price::LinkSource::measured);
    QCOMPARE(links.of(0, 1).source, price::LinkSource::stated);
    QCOMPARE(host_links(state).size(), std::size_t{3});  // there is no link within the host beta
    // A start with another cluster file removes the links that the last file stated.
    apply(state, {4, TimePoint{}, ClusterStarted{"lab", "1", {}}});
    for (auto& [id, node] : state.nodes) node.state = NodeState::ready;
    QCOMPARE(node_pool(state, {}, profile).links.of(0, 1).source, price::LinkSource::standard);
    QCOMPARE(node_pool(state, {}, profile).links.of(1, 0).source, price::LinkSource::measured);
}

void NodePoolTest::most_specific_stated_link_applies() {
    ClusterState state;
    for (const char* id : {"mic-1/node-1", "mic-1/node-2", "mic-2/node-1"}) add(state, id, id);
    state.stated_links = {{"*", "*", 1.0, {}},
                          {"mic-1/*", "mic-1/*", 2.0, {}},
                          {"mic-1/node-2", "mic-1/node-1", 3.0, {}},
                          {"mic-2/node-1", "mic-1/node-1", 4.0, {}},
                          {"mic-1/node-1", "mic-2/node-1", 5.0, 7.0}};
    const auto latency = [&](const char* from, const char* to) {
        return link_between(state, state.nodes.at(NodeId(from)).info, state.nodes.at(NodeId(to)).info).model.latency_s;
    };
    QCOMPARE(latency("mic-1/node-1", "mic-1/node-2"), 3.0);  // like the opposite direction, which is stated
    QCOMPARE(latency("mic-1/node-2", "mic-1/node-1"), 3.0);
    QCOMPARE(latency("mic-1/node-1", "mic-1/node-1"), 2.0);
    QCOMPARE(latency("mic-1/node-1", "mic-2/node-1"), 5.0);
    QCOMPARE(latency("mic-2/node-1", "mic-1/node-1"), 4.0);
    QCOMPARE(latency("mic-2/node-1", "mic-1/node-2"), 1.0);
}

void NodePoolTest::single_machine_keeps_its_measured_links() {
    ClusterState state;
    apply(state, {1, TimePoint{}, measured("here", "here", LinkTransport::ipc, 5e-5)});
    QCOMPARE(links_within("here", state.links).within_host.source, price::LinkSource::measured);
    QCOMPARE(links_within("there", state.links).within_host.source, price::LinkSource::standard);
    const price::NodePool pool = one_host({}, {"cpu", "x", 1, 0}, profile, links_within("here", state.links));
    QCOMPARE(pool.links.within_host.occupancy(2'000'000'000), 1 + 1e-5);
    QVERIFY(pool.links.within_host.serialize_s_per_byte > 0);
}

DIVISI_TEST(NodePoolTest)

}  // namespace node_pool_test

#include "node_pool_test.moc"
