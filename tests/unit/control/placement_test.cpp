// SPDX-License-Identifier: Apache-2.0
#include "backend/control/placement.h"

#include <QTest>

#include "tests/unit/control/plan_at_once.h"

using namespace divisi;
using namespace divisi::control;
using std::chrono::seconds;

namespace {

ClusterState nodes(const std::vector<std::tuple<const char*, const char*, int>>& names_hosts_cores) {
    ClusterState state;
    for (const auto& [name, host, cores] : names_hosts_cores) {
        NodeView& view = state.nodes[NodeId(name)];
        view.info.id = NodeId(name);
        view.info.host = host;
        view.info.devices = {{"cpu", "x", cores, Bytes{8} << 30}};
    }
    return state;
}

std::vector<std::string> turn(const ClusterState& state, const NodeUse& use, double threads = 1) {
    std::vector<std::string> names;
    for (const NodeId& id : nodes_in_turn(state, use, threads, 100)) names.push_back(id.value());
    return names;
}

using Names = std::vector<std::string>;

/// Tasks of so many stages as their text says, on nodes that do nothing.
struct Cluster {
    Orchestrator core;
    TimePoint now{seconds(1000)};
    std::uint64_t last_peer = 0;
    std::map<std::string, PeerId> peers;

    Cluster() { (void)core.start("test", "1", now); }
    Output say(PeerId peer, Message message) {
        now += std::chrono::milliseconds(1);
        return test::plan_at_once(core, core.step(Received{peer, 1, std::move(message)}, now), now,
                                  [](const SubmitTask& submission) {
                                      PlanSummary plan;
                                      plan.name = "t";
                                      plan.stages = std::stoi(submission.text);
                                      plan.plan_hash = "hash";
                                      return Result<PlanSummary>(plan);
                                  });
    }
    PeerId connect(Role role) {
        const PeerId peer(++last_peer);
        (void)core.step(PeerConnected{peer, {true, {}, "uid:1", ""}}, now);
        (void)say(peer, Hello{"test", "1", role});
        return peer;
    }
    void node(const std::string& name, const std::string& host, const std::string& machine) {
        peers[name] = connect(Role::agent);
        NodeInfo info;
        info.id = NodeId(name);
        info.host = host;
        info.machine = machine;
        info.devices = {{"cpu", "x", 4, Bytes{8} << 30}};
        (void)say(peers[name], RegisterNode{info});
    }
    void submit(int stages) {
        (void)say(connect(Role::operate), SubmitTask{std::to_string(stages), "/", "", {}, "me"});
    }
    Names nodes_of(const std::string& task) const {
        Names names;
        for (const auto& [id, instance] : core.state().instances)
            if (instance.task == TaskId(task)) names.push_back(instance.node.value());
        return names;
    }
    std::string host_of(const std::string& node) const { return core.state().nodes.at(NodeId(node)).info.host; }
    void end(const std::string& task) {
        (void)say(connect(Role::operate), StopTask{TaskId(task), ""});
        for (const auto& [id, instance] : std::map(core.state().instances))
            if (instance.task == TaskId(task)) (void)say(peers[instance.node.value()], InstanceExited{id, 0, 0, ""});
    }
};

}  // namespace

/// Which nodes stages get: those that are free, and what a plan predicts is what happens.
class PlacementTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void a_second_task_takes_the_idle_nodes();
    void a_waiting_task_keeps_what_it_needs();
    void cores_memory_and_names_decide_among_the_free();
    void two_machines_of_one_name_are_two_hosts();
};

void PlacementTest::a_second_task_takes_the_idle_nodes() {
    Cluster cluster;
    for (const char* name : {"m/a", "m/b", "m/c", "m/d"}) cluster.node(name, "host", "boot");
    cluster.submit(2);
    cluster.submit(2);
    QCOMPARE(cluster.nodes_of("t-1"), (Names{"m/a", "m/b"}));
    QCOMPARE(cluster.nodes_of("t-2"), (Names{"m/c", "m/d"}));
    cluster.submit(2);
    QCOMPARE(cluster.nodes_of("t-3"), Names{});
    cluster.end("t-2");
    QCOMPARE(cluster.nodes_of("t-3"), (Names{"m/c", "m/d"}));  // whichever are free
}

void PlacementTest::a_waiting_task_keeps_what_it_needs() {
    Cluster cluster;
    for (const char* name : {"m/a", "m/b", "m/c", "m/d"}) cluster.node(name, "host", "boot");
    cluster.submit(2);
    cluster.submit(3);  // two are free, it needs three: no others pass it by on these
    cluster.submit(1);
    QCOMPARE(cluster.nodes_of("t-2"), Names{});
    QCOMPARE(cluster.nodes_of("t-3"), Names{});
    cluster.end("t-1");
    QCOMPARE(cluster.nodes_of("t-2"), (Names{"m/a", "m/b", "m/c"}));
    QCOMPARE(cluster.nodes_of("t-3"), Names{"m/d"});
    // More stages than nodes: they go round.
    Cluster small;
    small.node("m/a", "host", "boot");
    small.node("m/b", "host", "boot");
    small.submit(3);
    QCOMPARE(small.nodes_of("t-1"), (Names{"m/a", "m/b", "m/a"}));
}

void PlacementTest::cores_memory_and_names_decide_among_the_free() {
    ClusterState state = nodes({{"a/1", "alpha", 2}, {"a/2", "alpha", 2}, {"a/3", "alpha", 2}, {"b/1", "beta", 2}});
    QCOMPARE(turn(state, {}), (Names{"a/1", "a/2", "b/1", "a/3"}));  // alpha has two cores
    QCOMPARE(turn(state, {}, 2), (Names{"a/1", "b/1", "a/2", "a/3"}));
    NodeUse use;
    use.threads["alpha"] = 1;
    QCOMPARE(turn(state, use), (Names{"a/1", "b/1", "a/2", "a/3"}));
    use.tasks[NodeId("b/1")] = 1;
    QCOMPARE(turn(state, use).back(), std::string("b/1"));
    use = {};
    use.memory_free[NodeId("a/1")] = scarce_memory - 1;
    QCOMPARE(turn(state, use), (Names{"a/2", "a/3", "b/1", "a/1"}));
    state.nodes[NodeId("a/2")].state = NodeState::away;
    QCOMPARE(turn(state, {}), (Names{"a/1", "a/3", "b/1"}));
    QCOMPARE(turn(state, {}), turn(state, {}));                                    // nothing but the state decides
    QCOMPARE(turn(nodes({{"a", "h", 0}, {"b", "h", 0}}), {}), (Names{"a", "b"}));  // cores that nobody told
}

void PlacementTest::two_machines_of_one_name_are_two_hosts() {
    Cluster cluster;
    cluster.node("a/1", "localhost", "1111-boot");
    cluster.node("b/1", "localhost", "2222-boot");
    cluster.node("a/2", "localhost", "1111-boot");
    cluster.node("b/2", "localhost", "2222-boot");
    QCOMPARE(cluster.host_of("a/1"), std::string("localhost"));
    QCOMPARE(cluster.host_of("a/2"), std::string("localhost"));
    QCOMPARE(cluster.host_of("b/1"), std::string("localhost~2222"));
    QCOMPARE(cluster.host_of("b/2"), std::string("localhost~2222"));
    // Started anew it is another system, and nobody else has its name.
    for (const char* name : {"a/1", "a/2"}) (void)cluster.say(cluster.peers[name], Goodbye{"a reboot"});
    cluster.node("a/2", "localhost", "3333-boot");
    QCOMPARE(cluster.host_of("a/2"), std::string("localhost"));
}

QTEST_APPLESS_MAIN(PlacementTest)
#include "placement_test.moc"
