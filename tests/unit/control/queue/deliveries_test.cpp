// SPDX-License-Identifier: Apache-2.0
#include "backend/control/queue/deliveries.h"

#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace deliveries_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::seconds;

namespace {

/// A fixture with tasks that wait for files of a client which has named its process.
struct Hall : test::Fixture {
    Deliveries deliveries{context};
    PeerId client = connect(1, "process-1");

    Hall() {
        context.follow([this](const Event& event) { deliveries.follow(event); });
        node(11, "a", "alpha", "ipc:///a");
        node(12, "b", "beta", "tcp://10.0.0.2:1");
        clear();
    }
    TaskId wait(const std::string& name, const std::string& process = "process-1") {
        const TaskId task(name);
        context.append(
            TaskSubmitted{task, name, "", "/", "", {{"data", "/d", "hash", 9}}, "me", 0, {NodeId("a")}, process});
        context.append(TaskQueued{task, QueueState::files});
        return task;
    }
    QueueState queue(const TaskId& task) const { return context.state().tasks.at(task).queue; }
    Outcome outcome(const TaskId& task) const { return context.state().tasks.at(task).outcome; }
};

const std::vector<NodeId> both{NodeId("a"), NodeId("b")};

}  // namespace

/// Tests which files go to which nodes, and the fate of tasks when their client connects, fails, leaves and reconnects.
class DeliveriesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void files_go_to_the_nodes_that_read_them();
    void unreachable_node_is_refused();
    void only_the_uploading_client_reports_files_as_done();
    void failed_upload_ends_its_task();
    void client_may_reconnect_within_the_grace_time();
    void clients_are_awaited_after_a_restart();
};

void DeliveriesTest::files_go_to_the_nodes_that_read_them() {
    Hall hall;
    PlanSummary plan;
    plan.weighted = {1};
    const std::vector<FileRef> files{
        {"data", "/d", "data", 1}, {"weights", "/w", "weights", 2}, {"labels", "/l", "", 3, false}};
    const auto uploads = hall.deliveries.uploads(hall.client, plan, both, files).value();
    QCOMPARE(uploads.size(), std::size_t{2});
    QCOMPARE(uploads[0].node, NodeId("a"));
    QCOMPARE(uploads[0].hashes, std::vector<std::string>{"data"});
    QCOMPARE(uploads[1].node, NodeId("b"));
    QCOMPARE(uploads[1].hashes, std::vector<std::string>{"weights"});
    plan.data_node = std::string("b");  // the data units run alone on that node
    QCOMPARE(hall.deliveries.uploads(hall.client, plan, both, files)->size(), std::size_t{1});
    plan.data_instances = 2;  // each data instance reads the data
    const auto dealt =
        hall.deliveries.uploads(hall.client, plan, {NodeId("b"), NodeId("b"), NodeId("a")}, files).value();
    QCOMPARE(dealt.size(), std::size_t{2});
    QCOMPARE(dealt[0].hashes, std::vector<std::string>{"data"});
    QCOMPARE(dealt[1].hashes, (std::vector<std::string>{"data", "weights"}));
}

void DeliveriesTest::unreachable_node_is_refused() {
    Hall hall;
    const PeerId far = hall.connect(2, "", false);
    const std::vector<FileRef> files{{"data", "/d", "data", 1}};
    const auto refused = hall.deliveries.uploads(far, {}, both, files);
    QCOMPARE(refused.error().code, ErrorCode::unavailable);
    QCOMPARE(refused.error().where, std::string("node a"));
    QVERIFY(hall.deliveries.uploads(far, {}, {NodeId("b")}, files).ok());
    QVERIFY(hall.deliveries.uploads(far, {}, both, {{"data", "/d", "", 1}}).ok());  // the node reads the file itself
}

void DeliveriesTest::only_the_uploading_client_reports_files_as_done() {
    Hall hall;
    const TaskId task = hall.wait("t-1");
    hall.deliveries.begin(task, hall.client);
    hall.say(hall.deliveries, hall.connect(2), UploadsDone{task, {}});
    QVERIFY(hall.refusal().find("another client") != std::string::npos);
    QCOMPARE(hall.queue(task), QueueState::files);
    QCOMPARE(hall.logged<Noted>().size(), std::size_t{1});  // the attempt is logged
    hall.say(hall.deliveries, hall.client, UploadsDone{task, {}});
    QCOMPARE(hall.queue(task), QueueState::nodes);
    QCOMPARE(hall.sent<Done>().size(), std::size_t{1});
    hall.say(hall.deliveries, hall.client, UploadsDone{task, {}});
    QVERIFY(hall.refusal().find("does not wait for files") != std::string::npos);
}

void DeliveriesTest::failed_upload_ends_its_task() {
    Hall hall;
    const TaskId task = hall.wait("t-1");
    hall.deliveries.begin(task, hall.client);
    hall.say(hall.deliveries, hall.client, UploadsDone{task, Error{ErrorCode::failed, "disk full", "/d", "make room"}});
    QCOMPARE(hall.outcome(task), Outcome::failed);
    QCOMPARE(hall.context.state().tasks.at(task).error->what, std::string("disk full"));
    QVERIFY(!hall.deliveries.next_deadline());
}

void DeliveriesTest::client_may_reconnect_within_the_grace_time() {
    Hall hall;
    const TaskId kept = hall.wait("t-1"), nameless = hall.wait("t-2", ""), late = hall.wait("t-3");
    for (const TaskId& task : {kept, nameless, late}) hall.deliveries.begin(task, hall.client);
    hall.deliveries.client_gone(hall.client, true);
    // refused: a client without a process name could not be recognised again
    QCOMPARE(hall.outcome(nameless), Outcome::failed);
    QCOMPARE(hall.outcome(kept), Outcome::none);
    hall.pass(return_grace - seconds(1));
    hall.deliveries.check_deadlines();
    QCOMPARE(hall.outcome(kept), Outcome::none);
    const PeerId again = hall.connect(3, "process-1");
    hall.deliveries.client_back(again);
    hall.say(hall.deliveries, again, UploadsDone{kept, {}});
    QCOMPARE(hall.queue(kept), QueueState::nodes);
    hall.deliveries.client_gone(again, true);
    QVERIFY(hall.deliveries.next_deadline());
    hall.pass(return_grace);
    hall.deliveries.check_deadlines();
    QCOMPARE(hall.outcome(late), Outcome::failed);
    QCOMPARE(hall.outcome(kept), Outcome::none);
    const TaskId ended = hall.wait("t-4");
    hall.deliveries.begin(ended, again);
    hall.deliveries.client_gone(again, false);  // the process of the client has ended
    QCOMPARE(hall.outcome(ended), Outcome::failed);
}

void DeliveriesTest::clients_are_awaited_after_a_restart() {
    Hall hall;
    const TaskId known = hall.wait("t-1"), nobody = hall.wait("t-2", "");
    hall.context.append(TaskSubmitted{TaskId("t-3"), "t", "", "/", "", {{"data", "/d", "hash", 9}}, "me", 0});
    hall.deliveries.adopt();
    QCOMPARE(hall.outcome(known), Outcome::none);
    QCOMPARE(hall.outcome(nobody), Outcome::failed);
    QVERIFY(hall.context.state().tasks.at(TaskId("t-3")).error->what.find("older version") != std::string::npos);
    hall.deliveries.client_back(hall.connect(4, "process-1"));
    QVERIFY(!hall.deliveries.next_deadline());
    hall.say(hall.deliveries, PeerId(4), UploadsDone{known, {}});
    QCOMPARE(hall.queue(known), QueueState::nodes);
}

DIVISI_TEST(DeliveriesTest)

}  // namespace deliveries_test

#include "deliveries_test.moc"
