// SPDX-License-Identifier: Apache-2.0
#include "backend/control/placement/placement.h"
#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/node_messages.h"

#include "tests/support/test_program.h"
#include "tests/unit/control/plan_at_once.h"

namespace placement_test {

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

std::vector<std::string> turn(const ClusterState& state, const NodeUse& use, const PlanSummary& plan = {}) {
    std::vector<std::string> names;
    for (const NodeId& id : Vacancies(state, use).in_turn(plan, {}, 100)) names.push_back(id.value());
    return names;
}
PlanSummary with_threads(std::int32_t threads) {
    PlanSummary plan;
    plan.threads = threads;
    return plan;
}

using Names = std::vector<std::string>;

/// A fixture with tasks whose text gives the number of stages, on nodes that do nothing.
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

/// Tests which nodes stages get: free nodes are chosen, and the predicted placement is the actual one.
class PlacementTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void second_task_takes_the_idle_nodes();
    void nodes_needed_by_a_waiting_task_are_kept();
    void cores_memory_and_names_order_the_free_nodes();
    void machines_with_equal_names_are_two_hosts();
    void host_reports_take_precedence_over_names();
    void requests_choose_among_nodes();
    void request_that_no_node_fits_is_refused();
    void shared_nodes_take_as_many_stages_as_fit();
    void node_is_shared_if_all_its_pools_are();
    void exclusive_task_has_its_nodes_to_itself();
    void node_faults_count_for_days();
    void reservation_blocks_tasks_of_others();
    void data_instances_are_placed_after_the_stages();
    void node_drained_by_a_module_takes_tasks_that_switch_this_module_off();
    void node_drained_by_an_operator_takes_nothing();
};

void PlacementTest::host_reports_take_precedence_over_names() {
    const ClusterState state = nodes({{"a", "alpha", 8}, {"b", "beta", 8}, {"c", "gamma", 8}});
    NodeUse use;
    for (const char* host : {"alpha", "beta", "gamma"}) use.reports[host] = {0, Bytes{8} << 30};
    QCOMPARE(turn(state, use), (Names{"a", "b", "c"}));
    use.reports["alpha"].load = 3;  // load of programs outside Divisi
    QCOMPARE(turn(state, use), (Names{"b", "c", "a"}));
    use.reports["alpha"].load = 0.4;  // a load below one core counts as noise
    QCOMPARE(turn(state, use), (Names{"a", "b", "c"}));
    use.reports["beta"].memory_free = Bytes{32} << 30;
    QCOMPARE(turn(state, use), (Names{"b", "a", "c"}));
    use.reports["beta"].memory_free = scarce_memory - 1;
    QCOMPARE(turn(state, use), (Names{"a", "c", "b"}));
    use.reports["alpha"].load = use.reports["gamma"].load = 8;  // free cores take precedence over memory
    QCOMPARE(turn(state, use).front(), std::string("b"));
}

void PlacementTest::requests_choose_among_nodes() {
    ClusterState state = nodes({{"m/a", "h", 4}, {"m/b", "h", 4}, {"n/a", "h", 4}, {"n/b", "h", 4}});
    state.nodes[NodeId("n/b")].info.devices.push_back({"cuda:0", "H200"});
    state.pools = {{"gpu", "H200", {}}, {"m", "", {"m/*"}}, {"both", "H200", {"m/*"}}};
    PlanSummary plan;
    plan.wish.pool = "gpu";
    QCOMPARE(turn(state, {}, plan), (Names{"n/b"}));
    plan.wish.pool = "m";
    QCOMPARE(turn(state, {}, plan), (Names{"m/a", "m/b"}));
    plan.wish.avoid = {"m/a"};
    QCOMPARE(turn(state, {}, plan), (Names{"m/b"}));
    plan.wish = {};
    plan.wish.nodes = {"m/b", "n/*"};
    QCOMPARE(turn(state, {}, plan), (Names{"m/b", "n/a", "n/b"}));
    plan.wish.prefer = {"n/*"};
    QCOMPARE(turn(state, {}, plan), (Names{"n/a", "n/b", "m/b"}));
    NodeUse use;
    use.nodes[NodeId("n/a")].tasks = 1;  // a busy node is no longer preferred
    QCOMPARE(turn(state, use, plan), (Names{"n/b", "m/b", "n/a"}));
    // A stage placed on a named node keeps other stages off that node.
    plan = {};
    plan.stages = 3;
    plan.stage_nodes = {"", "m/a", ""};
    const auto placed = place_plan(state, plan);
    QVERIFY(placed.ok());
    QCOMPARE(*placed, (std::vector<NodeId>{NodeId("m/b"), NodeId("m/a"), NodeId("n/a")}));
}

void PlacementTest::request_that_no_node_fits_is_refused() {
    ClusterState state = nodes({{"m/a", "h", 4}, {"m/b", "h", 4}});
    state.pools = {{"gpu", "H200", {}}, {"small", "", {"m/a"}}};
    const auto said = [&](const task::NodeWish& wish) {
        const auto checked = check_wish(state, wish);
        return checked.ok() ? std::string() : checked.error().message();
    };
    QCOMPARE(said({}), std::string());
    QCOMPARE(said({"small", {"m/*"}, {"m/b"}, {}, true}), std::string());
    QVERIFY(said({"smal"}).find("no pool 'smal'") != std::string::npos);
    QVERIFY(said({"smal"}).find("did you mean 'small'?") != std::string::npos);
    QVERIFY(said({"", {"m/c"}}).find("no node of the cluster is called 'm/c'") != std::string::npos);
    QVERIFY(said({"", {}, {"x/*"}}).find("[place] prefer") != std::string::npos);
    QVERIFY(said({"", {}, {}, {"x/*"}}).find("[place] avoid") != std::string::npos);
    QVERIFY(said({"gpu"}).find("no node of the cluster satisfies") != std::string::npos);
    QVERIFY(said({"small", {"m/b"}}).find("no node of the cluster satisfies") != std::string::npos);
}

void PlacementTest::shared_nodes_take_as_many_stages_as_fit() {
    ClusterState state = nodes({{"m/a", "h", 4}, {"m/b", "h", 2}});
    state.pools = {{"all", "", {"*"}, true, 3}};
    PlanSummary plan;
    plan.stages = 1;
    plan.threads = 2;
    Vacancies free(state, {});
    Names placed;
    for (int i = 0; i < 3; ++i) {
        const auto nodes = free.place(plan, {});
        QVERIFY(nodes.ok());
        QVERIFY(!free.obstacle(*nodes, plan, {}));
        placed.push_back(nodes->at(0).value());
        free.take(*nodes, plan);
    }
    QCOMPARE(placed, (Names{"m/a", "m/b", "m/a"}));  // m/a has 4 cores, m/b has 2
    QCOMPARE(*free.obstacle({NodeId("m/b")}, plan, {}), std::string("m/b has no cores for it"));
    QVERIFY(free.full());
    // A node takes at most as many instances as its pool allows, even if threads are left.
    state.nodes[NodeId("m/b")].state = NodeState::lost;
    state.nodes[NodeId("m/a")].info.devices[0].cores = 64;
    Vacancies pool(state, {});
    for (int i = 0; i < 3; ++i) pool.take({NodeId("m/a")}, plan);
    QCOMPARE(*pool.obstacle({NodeId("m/a")}, plan, {}), std::string("m/a has as many instances as its pool allows"));
    // Both the node's own memory and the memory reported by its host count.
    plan.memory = Bytes{5} << 30;
    Vacancies memory(state, {});
    QVERIFY(!memory.obstacle({NodeId("m/a")}, plan, {}));
    memory.take({NodeId("m/a")}, plan);
    QCOMPARE(*memory.obstacle({NodeId("m/a")}, plan, {}), std::string("m/a has no memory for it"));
    plan.memory = 0;
    QVERIFY(!memory.obstacle({NodeId("m/a")}, plan, {}));
    QVERIFY(memory.waits_for_memory());
    NodeUse use;
    use.reports["h"] = {0, process_memory - 1};
    use.nodes[NodeId("m/a")] = {1, 0, 1, 2};
    QCOMPARE(*Vacancies(state, use).obstacle({NodeId("m/a")}, plan, {}), std::string("m/a has no memory for it"));
    // Two stages share a node if the alternative is to wait for a full node.
    use.reports.clear();
    state.nodes[NodeId("m/b")].state = NodeState::ready;
    use.nodes[NodeId("m/a")] = {};
    use.nodes[NodeId("m/b")] = {1, 0, 3, 2};
    plan.stages = 2;
    QCOMPARE(*Vacancies(state, use).place(plan, {}), (std::vector<NodeId>{NodeId("m/a"), NodeId("m/a")}));
}

void PlacementTest::node_is_shared_if_all_its_pools_are() {
    ClusterState state = nodes({{"m/a", "h", 4}, {"m/b", "h", 4}, {"n/a", "h", 4}});
    state.pools = {{"m", "", {"m/*"}, true, 4}, {"a", "", {"m/a"}, true, 2}, {"b", "", {"m/b"}}};
    const auto sharing = [&](const char* name) { return sharing_of(state, state.nodes.at(NodeId(name)).info); };
    QVERIFY(sharing("m/a").shared);
    QCOMPARE(sharing("m/a").instances, 2);
    QVERIFY(!sharing("m/b").shared);
    QVERIFY(!sharing("n/a").shared);
}

void PlacementTest::exclusive_task_has_its_nodes_to_itself() {
    ClusterState state = nodes({{"m/a", "h", 8}});
    state.pools = {{"all", "", {"*"}, true, 0}};
    const std::vector<NodeId> node{NodeId("m/a")};
    PlanSummary plan, alone;
    alone.wish.exclusive = true;
    Vacancies free(state, {});
    QVERIFY(!free.obstacle(node, alone, {}));
    free.take(node, plan);
    QVERIFY(!free.obstacle(node, plan, {}));
    QCOMPARE(*free.obstacle(node, alone, {}), std::string("m/a has tasks, and this task needs the node exclusively"));
    Vacancies taken(state, {});
    taken.take(node, alone);
    QCOMPARE(*taken.obstacle(node, plan, {}), std::string("m/a has a task that uses it exclusively"));
    QVERIFY(taken.full());
    QVERIFY(taken.standing(NodeId("m/a"))->exclusive);
}

void PlacementTest::node_faults_count_for_days() {
    ClusterState state;
    TimePoint now{seconds(1000)};
    const auto add = [&](Event::Body body) { apply(state, {state.sequence + 1, now, std::move(body)}); };
    for (const char* name : {"a", "b"}) {
        NodeInfo info;
        info.id = NodeId(name);
        info.host = name;
        info.devices = {{"cpu", "x", 4, Bytes{8} << 30}};
        add(NodeJoined{info});
    }
    const auto again = [&](const char* name) { add(NodeJoined{state.nodes.at(NodeId(name)).info}); };
    QCOMPARE(turn(state, {}), (Names{"a", "b"}));
    add(NodeEnded{NodeId("a"), NodeState::left, "goodbye"});  // leaving with a goodbye is not a fault
    again("a");
    QCOMPARE(turn(state, {}), (Names{"a", "b"}));
    add(NodeEnded{NodeId("a"), NodeState::lost, "silent"});
    again("a");
    QCOMPARE(turn(state, {}), (Names{"b", "a"}));
    QCOMPARE(state.nodes.at(NodeId("a")).faults.losses, 1u);
    NodeUse use;
    use.nodes[NodeId("b")].tasks = 1;  // faults decide only between otherwise equal nodes
    QCOMPARE(turn(state, use), (Names{"a", "b"}));
    now += std::chrono::hours(23);
    add(Noted{});
    QCOMPARE(turn(state, {}), (Names{"b", "a"}));
    now += std::chrono::hours(26);
    add(Noted{});
    QCOMPARE(turn(state, {}), (Names{"a", "b"}));
    // A node lost in a restart of the orchestrator has no fault counted.
    add(ClusterStarted{"c", "1", {}});
    add(NodeEnded{NodeId("b"), NodeState::lost, "not back in time"});
    QCOMPARE(state.nodes.at(NodeId("b")).faults.losses, 0u);
}

void PlacementTest::reservation_blocks_tasks_of_others() {
    ClusterState state = nodes({{"m/a", "h", 8}, {"m/b", "h", 8}});
    const TimePoint from{seconds(1000)}, until{seconds(2000)};
    state.reservations[7] = {7, "", {"m/a"}, "alice", TaskId(), from, until, "bob"};
    const auto is_blocked = [&](const PlacementRequest& request) {
        return Vacancies(state, {}).blocking_reservation({NodeId("m/a")}, request) != nullptr;
    };
    const TaskId task("t-1");
    QVERIFY(is_blocked({"bob", task, from}));
    QVERIFY(!is_blocked({"alice", task, from}));
    QVERIFY(!is_blocked({"bob", task, until}));
    const TimePoint before = from - seconds(60);
    QVERIFY(is_blocked({"bob", task, before}));  // the task might still run when the reservation begins
    QVERIFY(!is_blocked({"bob", task, before, 60}));
    QVERIFY(is_blocked({"bob", task, before, 61}));
    QVERIFY(is_blocked({"bob", task, from, 1}));
    QCOMPARE(Vacancies(state, {}).in_turn({}, {"bob", task, from}, 2),
             (std::vector<NodeId>{NodeId("m/b"), NodeId("m/a")}));
    state.reservations[7] = {7, "", {"m/*"}, "", task, from, until, "bob"};
    QVERIFY(!is_blocked({"bob", task, from}));
    QVERIFY(is_blocked({"alice", TaskId("t-2"), from}));
}

void PlacementTest::second_task_takes_the_idle_nodes() {
    Cluster cluster;
    for (const char* name : {"m/a", "m/b", "m/c", "m/d"}) cluster.node(name, "host", "boot");
    cluster.submit(2);
    cluster.submit(2);
    QCOMPARE(cluster.nodes_of("t-1"), (Names{"m/a", "m/b"}));
    QCOMPARE(cluster.nodes_of("t-2"), (Names{"m/c", "m/d"}));
    cluster.submit(2);
    QCOMPARE(cluster.nodes_of("t-3"), Names{});
    cluster.end("t-2");
    QCOMPARE(cluster.nodes_of("t-3"), (Names{"m/c", "m/d"}));  // the free nodes, whichever they are
}

void PlacementTest::nodes_needed_by_a_waiting_task_are_kept() {
    Cluster cluster;
    for (const char* name : {"m/a", "m/b", "m/c", "m/d"}) cluster.node(name, "host", "boot");
    cluster.submit(2);
    cluster.submit(3);  // the task needs three nodes and two are free: later tasks may not overtake it on these two
    cluster.submit(1);
    QCOMPARE(cluster.nodes_of("t-2"), Names{});
    QCOMPARE(cluster.nodes_of("t-3"), Names{});
    cluster.end("t-1");
    QCOMPARE(cluster.nodes_of("t-2"), (Names{"m/a", "m/b", "m/c"}));
    QCOMPARE(cluster.nodes_of("t-3"), Names{"m/d"});
    // If there are more stages than nodes, placement wraps around.
    Cluster small;
    small.node("m/a", "host", "boot");
    small.node("m/b", "host", "boot");
    small.submit(3);
    QCOMPARE(small.nodes_of("t-1"), (Names{"m/a", "m/b", "m/a"}));
}

void PlacementTest::cores_memory_and_names_order_the_free_nodes() {
    ClusterState state = nodes({{"a/1", "alpha", 2}, {"a/2", "alpha", 2}, {"a/3", "alpha", 2}, {"b/1", "beta", 2}});
    QCOMPARE(turn(state, {}), (Names{"a/1", "a/2", "b/1", "a/3"}));  // alpha has two cores
    QCOMPARE(turn(state, {}, with_threads(2)), (Names{"a/1", "b/1", "a/2", "a/3"}));
    NodeUse use;
    use.threads["alpha"] = 1;
    QCOMPARE(turn(state, use), (Names{"b/1", "a/1", "a/2", "a/3"}));  // beta has more free cores
    use.nodes[NodeId("b/1")].tasks = 1;
    QCOMPARE(turn(state, use).back(), std::string("b/1"));
    state.nodes[NodeId("a/2")].state = NodeState::away;
    QCOMPARE(turn(state, {}), (Names{"a/1", "a/3", "b/1"}));
    QCOMPARE(turn(state, {}), turn(state, {}));  // placement depends on the state alone
    QCOMPARE(turn(nodes({{"a", "h", 0}, {"b", "h", 0}}), {}), (Names{"a", "b"}));  // an unknown number of cores
}

void PlacementTest::machines_with_equal_names_are_two_hosts() {
    Cluster cluster;
    cluster.node("a/1", "localhost", "1111-boot");
    cluster.node("b/1", "localhost", "2222-boot");
    cluster.node("a/2", "localhost", "1111-boot");
    cluster.node("b/2", "localhost", "2222-boot");
    QCOMPARE(cluster.host_of("a/1"), std::string("localhost"));
    QCOMPARE(cluster.host_of("a/2"), std::string("localhost"));
    QCOMPARE(cluster.host_of("b/1"), std::string("localhost~2222"));
    QCOMPARE(cluster.host_of("b/2"), std::string("localhost~2222"));
    // After a reboot the host has another boot identifier, and no other host has its name.
    for (const char* name : {"a/1", "a/2"}) (void)cluster.say(cluster.peers[name], Goodbye{"a reboot"});
    cluster.node("a/2", "localhost", "3333-boot");
    QCOMPARE(cluster.host_of("a/2"), std::string("localhost"));
}

void PlacementTest::data_instances_are_placed_after_the_stages() {
    const ClusterState state = nodes({{"a", "h", 4}, {"b", "h", 4}, {"c", "h", 4}});
    PlanSummary plan;
    plan.stages = 2;
    plan.stage_nodes = {"b", "a"};
    plan.data_instances = 3;
    const auto names = [&] {
        Names all;
        const auto placed = place_plan(state, plan);
        if (!placed) qFatal("%s", placed.error().message().c_str());
        for (const NodeId& node : *placed) all.push_back(node.value());
        return all;
    };
    const Names placed = names();
    QCOMPARE(placed.size(), std::size_t{5});
    QCOMPARE(Names(placed.begin(), placed.begin() + 3), (Names{"b", "a", "c"}));  // the remaining node comes first
    plan.data_node = "b";
    QCOMPARE(names(), (Names{"b", "a", "b", "b", "b"}));
    plan.data_instances = 0;
    QCOMPARE(names(), (Names{"b", "a", "b"}));
}

void PlacementTest::node_drained_by_a_module_takes_tasks_that_switch_this_module_off() {
    const ClusterState state = nodes({{"a", "h", 4}, {"b", "h", 4}});
    NodeUse use;
    use.advised[NodeId("a")] = {true, "routing", {TaskId("off-1")}};
    PlanSummary plan;
    plan.stages = 1;
    const auto obstacle = [&](const char* task) {
        return Vacancies(state, use).obstacle({NodeId("a")}, plan, {"", TaskId(task), {}, 0});
    };
    QCOMPARE(*obstacle("on-1"), std::string("a is drained on a module's advice"));
    QVERIFY(!obstacle("off-1"));
    const auto placed = [&](const char* task) {
        return Vacancies(state, use).place(plan, {"", TaskId(task), {}, 0}).value().front();
    };
    QCOMPARE(placed("on-1"), NodeId("b"));
    QCOMPARE(placed("off-1"), NodeId("a"));
}

void PlacementTest::node_drained_by_an_operator_takes_nothing() {
    ClusterState state = nodes({{"a", "h", 8}, {"b", "h", 8}});
    state.nodes.at(NodeId("a")).draining = true;
    QCOMPARE(turn(state, {}), Names{"b"});
    PlanSummary plan;
    plan.stages = 2;
    QCOMPARE(place_plan(state, plan).value(), (std::vector<NodeId>{NodeId("b"), NodeId("b")}));
    // A task that names the drained node waits.
    plan.stage_nodes = {"a"};
    Vacancies free(state, {});
    const auto placed = free.place(plan, {});
    QCOMPARE(placed.value().at(0), NodeId("a"));
    QVERIFY(free.obstacle(placed.value(), plan, {}).value().find("a is drained") == 0);
    state.nodes.at(NodeId("b")).draining = true;
    QCOMPARE(place_plan(state, PlanSummary{}).error().code, ErrorCode::unavailable);
}

DIVISI_TEST(PlacementTest)

}  // namespace placement_test

#include "placement_test.moc"
