// SPDX-License-Identifier: Apache-2.0

#include "backend/control/protocol/access_messages.h"
#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/node_messages.h"
#include "tests/unit/control/plan_at_once.h"

#include "tests/support/test_program.h"

namespace delivery_test {

using namespace divisi;
using namespace divisi::control;

namespace {

/// Plans two stages, and the data on a separate node. The second stage reads weights.
Result<PlanSummary> two_stages(const SubmitTask&) {
    PlanSummary plan;
    plan.name = "t";
    plan.stages = 2;
    plan.cuts = {"cut"};
    plan.weighted = {1};
    plan.data_node = "c";
    return plan;
}

struct Cluster {
    Orchestrator core;
    TimePoint now{std::chrono::seconds(100)};
    std::vector<Send> sent;
    std::vector<Event> events;

    /// `before` is the log from before a restart of the orchestrator.
    explicit Cluster(std::vector<Event> before = {}) : events(std::move(before)) {
        for (const Event& event : events) core.replay(event);
        core.allow_always({{"file-key", "file", Role::operate, false}});
        keep(core.start("lab", "1", now));
    }
    void keep(Output output) {
        output = test::plan_at_once(core, std::move(output), now, two_stages);
        sent = std::move(output.sends);
        events.insert(events.end(), output.events.begin(), output.events.end());
    }
    void connect(std::uint64_t peer, Credentials credentials, Hello hello) {
        keep(core.step(PeerConnected{PeerId(peer), std::move(credentials)}, now));
        say(peer, std::move(hello));
    }
    void say(std::uint64_t peer, Message message) { keep(core.step(Received{PeerId(peer), 1, message}, now)); }
    void add_node(std::uint64_t peer, const std::string& name, const std::string& endpoint) {
        connect(peer, {false, Role::agent, name}, {"node", "1", Role::agent, ""});
        NodeInfo info;
        info.id = NodeId(name);
        info.blob_endpoint = endpoint;
        say(peer, RegisterNode{info});
    }
    void add_nodes() {
        add_node(1, "a", "tcp://a");
        add_node(2, "b", "tcp://b");
        add_node(3, "c", "tcp://c");
    }
    void add_client(bool owner = false, const std::string& process = {}) {
        connect(9, {owner, owner ? std::optional<Role>() : Role::operate, "me"},
                {"ctl", "1", Role::operate, "my-key", process});
    }
    void pass(Duration time) {
        for (const TimePoint until = now + time; now < until;) keep(core.step(Tick{}, now += heartbeat_interval));
    }
    template <typename M>
    const M* answer() const {
        for (const Send& send : sent)
            if (const M* found = get_if<M>(&send.message)) return found;
        return nullptr;
    }
    void submit() {
        say(9,
            SubmitTask{"text",
                       "/home",
                       "",
                       {{"data", "/d", "hd", 1, false}, {"labels", "/l", "hl", 1, false}, {"weights", "/w", "hw", 1}},
                       "me"});
    }
    const TaskView& task() const { return core.state().tasks.at(TaskId("t-1")); }
};

}  // namespace

/// Tests a task whose client uploads its files: which node gets which files, and what happens when a peer disconnects.
class DeliveryTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void each_node_gets_the_files_of_its_units();
    void task_waits_for_its_files_and_starts_on_their_nodes();
    void client_that_leaves_or_fails_ends_its_task();
    void restart_ends_tasks_with_unfinished_uploads();
    void restart_remembers_where_files_are();
    void client_resumes_uploads_after_a_restart();
    void process_name_with_another_key_is_refused();
    void unreachable_nodes_are_refused();
    void nodes_get_every_change_of_the_access_list();
};

void DeliveryTest::each_node_gets_the_files_of_its_units() {
    Cluster cluster;
    cluster.add_nodes();
    cluster.add_client();
    cluster.submit();
    const auto* reply = cluster.answer<SubmitReply>();
    QVERIFY(reply);
    QCOMPARE(reply->uploads.size(), std::size_t{2});
    QCOMPARE(reply->uploads[0].node, NodeId("b"));  // stage 1
    QCOMPARE(reply->uploads[0].hashes, std::vector<std::string>{"hw"});
    QCOMPARE(reply->uploads[1].node, NodeId("c"));
    QCOMPARE(reply->uploads[1].endpoint, std::string("tcp://c"));
    QCOMPARE(reply->uploads[1].hashes, (std::vector<std::string>{"hd", "hl"}));
}

void DeliveryTest::task_waits_for_its_files_and_starts_on_their_nodes() {
    Cluster cluster;
    cluster.add_nodes();
    cluster.add_client();
    cluster.submit();
    QVERIFY(!cluster.answer<StartInstance>());
    QCOMPARE(cluster.task().detail(), std::string("waiting for its files"));
    // Node 0 is first by name and would now get stage 0, but the files are on other nodes.
    cluster.add_node(4, "0", "tcp://0");
    cluster.keep(cluster.core.step(PeerGone{PeerId(2)}, cluster.now));
    cluster.say(9, UploadsDone{TaskId("t-1"), {}});
    QVERIFY(cluster.answer<Done>() && !cluster.answer<StartInstance>());  // b is away
    cluster.add_node(5, "b", "tcp://b");
    QVERIFY(cluster.answer<StartInstance>());
    QCOMPARE(cluster.core.state().instances.at(InstanceId("t-1/stage-1/0#1")).node, NodeId("b"));
    QCOMPARE(cluster.core.state().instances.at(InstanceId("t-1/stage-0/0#1")).node, NodeId("a"));
}

void DeliveryTest::client_that_leaves_or_fails_ends_its_task() {
    Cluster cluster;
    cluster.add_nodes();
    cluster.add_client();
    cluster.submit();
    cluster.keep(cluster.core.step(PeerGone{PeerId(9)}, cluster.now));
    QCOMPARE(cluster.task().outcome, Outcome::failed);
    cluster.add_client();
    cluster.submit();
    cluster.say(9, UploadsDone{TaskId("t-2"), Error{ErrorCode::exhausted, "the disk is full", "b", ""}});
    QCOMPARE(cluster.core.state().tasks.at(TaskId("t-2")).error->what, std::string("the disk is full"));
    cluster.say(9, UploadsDone{TaskId("t-2"), {}});
    QVERIFY(cluster.answer<Refused>());
}

void DeliveryTest::restart_ends_tasks_with_unfinished_uploads() {
    Cluster before;
    before.add_nodes();
    before.add_client();
    before.submit();
    const Cluster after(before.events);
    QCOMPARE(after.task().outcome, Outcome::failed);
}

void DeliveryTest::restart_remembers_where_files_are() {
    Cluster before;
    before.add_nodes();
    before.add_client();
    before.submit();
    before.keep(before.core.step(PeerGone{PeerId(2)}, before.now));
    before.say(9, UploadsDone{TaskId("t-1"), {}});
    QVERIFY(!before.answer<StartInstance>());
    Cluster after(before.events);
    after.add_node(4, "0", "tcp://0");
    after.add_nodes();
    QCOMPARE(after.task().phase, TaskPhase::registration);
    const auto placed = [&](const char* unit) {
        return after.core.state().instances.at(InstanceId(std::string("t-1/") + unit + "/0#1")).node;
    };
    QCOMPARE(placed("stage-0"), NodeId("a"));
    QCOMPARE(placed("stage-1"), NodeId("b"));
    QCOMPARE(placed("data"), NodeId("c"));
}

void DeliveryTest::client_resumes_uploads_after_a_restart() {
    Cluster before;
    before.add_nodes();
    before.add_client(false, "mine");
    before.submit();
    Cluster after(before.events), alone(before.events);
    QVERIFY(!after.task().over());
    after.add_client(false, "mine");
    after.say(9, UploadsDone{TaskId("t-1"), {}});
    QVERIFY(after.answer<Done>());
    QCOMPARE(after.task().queue, QueueState::nodes);
    // The task waits for its other client no longer than usual.
    alone.pass(OrchestratorLimits{}.away - std::chrono::seconds(1));
    QVERIFY(!alone.task().over());
    alone.pass(std::chrono::seconds(2));
    QCOMPARE(alone.task().outcome, Outcome::failed);
}

void DeliveryTest::process_name_with_another_key_is_refused() {
    Cluster cluster;
    cluster.add_nodes();
    cluster.connect(9, {false, Role::operate, "me", "my-key"}, {"ctl", "1", Role::operate, "", "mine"});
    cluster.submit();
    // Viewers can read the process name in the state, so a matching name alone proves nothing.
    for (const Role role : {Role::viewer, Role::operate}) {
        cluster.connect(10, {false, role, "other", "other-key"}, {"ctl", "1", role, "", "mine"});
        cluster.say(10, UploadsDone{TaskId("t-1"), Error{ErrorCode::failed, "no", "", ""}});
        QVERIFY(cluster.answer<Refused>());
        cluster.say(10, Goodbye{"gone"});
        QVERIFY(!cluster.task().over());
    }
    cluster.say(9, UploadsDone{TaskId("t-1"), {}});
    QVERIFY(cluster.answer<Done>());
    QCOMPARE(cluster.task().queue, QueueState::nodes);
}

void DeliveryTest::unreachable_nodes_are_refused() {
    Cluster cluster;
    cluster.add_node(1, "a", "tcp://a");
    cluster.add_node(2, "b", "ipc:///run/b");
    cluster.add_node(3, "c", "tcp://c");
    cluster.add_client();
    cluster.submit();
    QVERIFY(cluster.answer<Refused>());
    QCOMPARE(cluster.answer<Refused>()->error.where, std::string("node b"));
    QVERIFY(cluster.core.state().tasks.empty());
    Cluster local;
    local.add_node(1, "a", "tcp://a");
    local.add_node(2, "b", "ipc:///run/b");
    local.add_node(3, "c", "tcp://c");
    local.add_client(true);
    local.submit();
    QVERIFY(local.answer<SubmitReply>());
}

void DeliveryTest::nodes_get_every_change_of_the_access_list() {
    Cluster cluster;
    cluster.add_node(1, "a", "tcp://a");
    const auto* list = cluster.answer<AccessKeys>();
    QVERIFY(list);
    QCOMPARE(list->keys.size(), std::size_t{1});  // the key of the cluster file
    cluster.connect(7, {true, {}, "uid:1"}, {"ctl", "1", Role::admin, ""});
    cluster.say(7, ChangeKey{{"new-key", "lab", Role::operate, false}});
    QCOMPARE(cluster.answer<AccessKeys>()->keys.size(), std::size_t{2});
    // A key that a client brings on ipc is valid while the client is connected. A client on tcp can bring only its own
    // key.
    cluster.add_client(true);
    QCOMPARE(cluster.answer<AccessKeys>()->keys.back().public_key, std::string("my-key"));
    cluster.keep(cluster.core.step(PeerGone{PeerId(9)}, cluster.now));
    QCOMPARE(cluster.answer<AccessKeys>()->keys.size(), std::size_t{2});
    cluster.add_client(false);
    QVERIFY(!cluster.answer<AccessKeys>());
}

DIVISI_TEST(DeliveryTest)

}  // namespace delivery_test

#include "delivery_test.moc"
