// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/checkpoints.h"

#include "backend/control/change/snapshot_neighbour.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/checkpoint_floor.h"

namespace checkpoints_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;

namespace {

using Dropped = std::map<PeerId, std::set<std::string>>;
using Steps = std::vector<std::int64_t>;
const PeerId at_a(1), at_b(2), at_c(3);

/// Whoever orders transfers beside the checkpoints.
struct Recutter final : TransferListener {
    void brought(const std::string&, const NodeId&, std::uint64_t, const std::optional<Error>&) override {}
};

}  // namespace

/// Snapshots become checkpoints: who counts, where copies lie, when it is a commit, and what goes.
class CheckpointsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void it_is_committed_once_all_snapshots_and_their_copies_are_there();
    void a_cluster_of_one_node_commits_without_copies();
    void nodes_that_share_a_store_need_no_copies();
    void copies_go_to_another_host_of_the_task_first();
    void what_lies_on_a_secure_node_stays_on_secure_ones();
    void who_does_not_count_is_not_heard();
    void what_is_said_twice_counts_once();
    void steps_come_in_any_order_and_none_is_committed_after_a_newer_one();
    void one_step_is_copied_at_a_time_and_then_the_newest();
    void steps_that_stay_open_are_bounded();
    void a_stage_without_a_snapshot_ends_the_step();
    void the_log_has_a_few_lines_however_often_a_disk_is_full();
    void what_is_no_blob_is_no_snapshot();
    void older_checkpoints_are_dropped_beyond_those_that_are_kept();
    void a_stage_without_state_keeps_its_snapshot();
    void a_copy_that_fails_is_tried_elsewhere_and_then_left_out();
    void a_node_that_goes_while_it_gets_a_copy_is_replaced();
    void a_snapshot_whose_node_goes_before_the_copy_is_no_checkpoint();
    void snapshots_wait_for_their_nodes();
    void a_copy_that_is_under_way_is_dropped_when_it_is_there();
    void snapshots_of_two_tasks_that_are_the_same_are_copied_once();
    void a_recovery_drops_what_is_pending_and_what_came_later();
    void while_it_is_held_nothing_is_committed();
    void a_re_cut_drops_what_is_pending();
    void what_a_re_cut_brought_goes_with_its_checkpoint();
    void what_arrives_for_a_re_cut_that_was_given_up_goes_at_once();
    void the_end_of_a_task_drops_all();
    void a_restart_knows_what_is_committed_and_nothing_else();
    void after_a_restart_the_only_node_says_what_it_has();
};

void CheckpointsTest::it_is_committed_once_all_snapshots_and_their_copies_are_there() {
    CheckpointFloor floor;
    floor.take(1, 5, 11);
    QVERIFY(floor.copies().empty());
    floor.take(0, 5, 10);
    const auto copies = floor.copies();
    QCOMPARE(copies.size(), std::size_t{2});
    QCOMPARE(copies[0].first, at_b);
    QCOMPARE(copies[0].second.hash, blob(10));
    QCOMPARE(copies[0].second.endpoint, std::string("ipc:///m/a"));
    QCOMPARE(copies[1].first, at_a);
    QCOMPARE(copies[1].second.hash, blob(11));
    QCOMPARE(floor.checkpoints.pending_blobs(), (std::set<std::string>{blob(10), blob(11)}));
    floor.end_copy(copies[1]);
    QVERIFY(floor.committed().empty());
    floor.end_copy(copies[0]);
    const auto events = floor.logged<CheckpointCommitted>();
    QCOMPARE(events.size(), std::size_t{1});
    const SegmentSnapshot first{Sid("t-1/stage-0/0"), 0, blob(10), 1000, {node_a, node_b}};
    const SegmentSnapshot second{Sid("t-1/stage-1/0"), 1, blob(11), 1000, {node_b, node_a}};
    QVERIFY(events[0].task == the_task);
    QVERIFY(events[0].checkpoint == (Checkpoint{1, 5, floor.now, {first, second}}));
    QVERIFY(floor.task().checkpoints == std::vector<Checkpoint>{events[0].checkpoint});
    QVERIFY(floor.checkpoints.pending_blobs().empty());
    QVERIFY(floor.dropped().empty() && floor.warnings().empty());
}

void CheckpointsTest::a_cluster_of_one_node_commits_without_copies() {
    CheckpointFloor floor(1);
    floor.take_all(5, 10);
    QVERIFY(floor.copies().empty());
    QCOMPARE(floor.committed(), Steps{5});
    QCOMPARE(floor.task().checkpoints[0].parts[1].nodes, std::vector<NodeId>{node_a});
    QVERIFY(floor.warnings().empty());
}

void CheckpointsTest::nodes_that_share_a_store_need_no_copies() {
    CheckpointFloor floor(2);
    for (const NodeId& id : {node_a, node_b}) {
        NodeInfo info = floor.desk.state().nodes.at(id).info;
        info.blob_endpoint = "ipc:///shared";
        floor.desk.append(NodeJoined{info});
    }
    floor.take_all(5, 10);
    QVERIFY(floor.copies().empty());
    QCOMPARE(floor.committed(), Steps{5});
}

void CheckpointsTest::copies_go_to_another_host_of_the_task_first() {
    CheckpointFloor floor(5);
    const auto set = [&](const std::string& name, const std::string& host, const std::string& mic) {
        NodeInfo info = floor.desk.state().nodes.at(NodeId(name)).info;
        info.host = host;
        info.mic = MicId(mic);
        floor.desk.append(NodeJoined{info});
    };
    const auto next_to = [&](const NodeId& own, const std::set<NodeId>& without = {}) {
        return snapshot_neighbour(floor.desk, the_task, own, without).value_or(NodeId("none")).value();
    };
    // The task runs on a and b. Without it the next by name, and after the last the first.
    QCOMPARE(next_to(node_a), std::string("m/b"));
    QCOMPARE(next_to(node_b), std::string("m/a"));
    QCOMPARE(next_to(node_a, {node_b}), std::string("m/c"));
    QCOMPARE(next_to(NodeId("m/e"), {node_a, node_b}), std::string("m/c"));
    // Another host counts more than the task, the task more than another MIC.
    set("m/b", "host of m/a", "m");
    QCOMPARE(next_to(node_a), std::string("m/c"));
    set("m/d", "host of m/d", "other");
    QCOMPARE(next_to(node_a), std::string("m/d"));
    set("m/b", "host of m/b", "m");
    QCOMPARE(next_to(node_a), std::string("m/b"));
    // A standby may go on with what its node has.
    const InstanceId standby("t-1/standby/0#1");
    floor.desk.append(InstancePlaced{the_task, standby, sid_of(standby), NodeId("m/e"), standby_stage, 1});
    QCOMPARE(next_to(node_a), std::string("m/e"));
    floor.desk.append(InstanceEnded{standby, "killed"});
    QCOMPARE(next_to(node_a), std::string("m/b"));
    for (const char* name : {"m/b", "m/c", "m/d", "m/e"}) set(name, "host of m/a", "m");
    QCOMPARE(next_to(node_a), std::string("m/b"));
    floor.lose(node_b);
    QCOMPARE(next_to(node_a), std::string("m/c"));
    QCOMPARE(next_to(node_a, {node_c, NodeId("m/d"), NodeId("m/e")}), std::string("none"));
}

void CheckpointsTest::what_lies_on_a_secure_node_stays_on_secure_ones() {
    CheckpointFloor floor;
    NodeInfo info = floor.desk.state().nodes.at(node_b).info;
    info.secure = true;
    floor.desk.append(NodeJoined{info});
    QVERIFY(!snapshot_neighbour(floor.desk, the_task, node_b));
    QCOMPARE(snapshot_neighbour(floor.desk, the_task, node_a).value(), node_b);
}

void CheckpointsTest::who_does_not_count_is_not_heard() {
    CheckpointFloor floor(1);
    const SnapshotTaken old = floor.snapshot(1, 5, blob(11), 1, {});
    floor.take(0, 5, 10);
    floor.recover(0);
    floor.clear();
    // An instance of before, and the newest one as it would speak of a generation that is over.
    floor.say(floor.checkpoints, PeerId(0), old);
    SnapshotTaken confused = floor.snapshot(1, 5, blob(12), 1, {});
    confused.generation = 1;
    floor.say(floor.checkpoints, PeerId(0), confused);
    floor.checkpoints.look();
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(11), blob(12)}}}));
    floor.take(0, 5, 20);
    QVERIFY(floor.committed().empty());
    floor.take(1, 5, 21);
    QCOMPARE(floor.committed(), Steps{5});
    QCOMPARE(floor.task().checkpoints[0].generation, Generation{2});
    // Of a data instance, of a task that is gone.
    SnapshotTaken of_nobody = floor.snapshot(0, 6, blob(30), 1, {});
    of_nobody.task = TaskId("t-2");
    floor.say(floor.checkpoints, PeerId(0), of_nobody);
    of_nobody.instance = InstanceId("t-2/stage-0/0#1");
    floor.say(floor.checkpoints, PeerId(0), of_nobody);
    QVERIFY(floor.checkpoints.pending_blobs().empty());
}

void CheckpointsTest::what_is_said_twice_counts_once() {
    CheckpointFloor floor;
    floor.take(0, 5, 10);
    floor.take(0, 5, 10);
    QVERIFY(floor.copies().empty());
    floor.take(1, 5, 11);
    floor.take(1, 5, 11);
    QCOMPARE(floor.copies().size(), std::size_t{2});
    floor.end_copies();
    floor.take(1, 5, 11);  // the commit has it, so that it stays
    QCOMPARE(floor.committed(), Steps{5});
    QVERIFY(floor.dropped().empty());
}

void CheckpointsTest::steps_come_in_any_order_and_none_is_committed_after_a_newer_one() {
    CheckpointFloor floor(1);
    floor.take(0, 5, 10);
    floor.take(0, 10, 20);
    floor.take(0, 15, 30);
    floor.take(1, 10, 21);
    QCOMPARE(floor.committed(), Steps{10});
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(10)}}}));
    floor.clear();
    floor.take(1, 5, 11);
    QVERIFY(floor.committed().empty());
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(11)}}}));
    floor.take(1, 15, 31);
    QCOMPARE(floor.committed(), Steps{15});
}

void CheckpointsTest::one_step_is_copied_at_a_time_and_then_the_newest() {
    CheckpointFloor floor;
    for (const int step : {1, 2, 3, 4}) floor.take_all(step, 10 * step);
    const auto first = floor.copies();
    QCOMPARE(first.size(), std::size_t{2});
    QCOMPARE(first[0].second.hash, blob(10));
    // Those between have gone: 2 when 3 was whole, 3 when 4 was.
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(20), blob(30)}}, {at_b, {blob(21), blob(31)}}}));
    floor.clear();
    floor.end_copy(first[0]);
    floor.end_copy(first[1]);
    QCOMPARE(floor.committed(), Steps{1});
    const auto next = floor.copies();
    QCOMPARE(next.size(), std::size_t{2});
    QCOMPARE(next[0].second.hash, blob(40));
    floor.end_copies();
    QCOMPARE(floor.committed(), (Steps{1, 4}));
}

void CheckpointsTest::steps_that_stay_open_are_bounded() {
    CheckpointFloor floor(1);
    const int most = static_cast<int>(most_pending_steps);
    for (int step = 1; step <= most; ++step) floor.take(0, step, step);
    QVERIFY(floor.dropped().empty());
    floor.take(0, most + 1, most + 1);
    floor.take(0, most + 2, most + 2);
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(1), blob(2)}}}));
    QCOMPARE(floor.checkpoints.pending_blobs().size(), most_pending_steps);
    floor.take(1, 3, 103);
    QCOMPARE(floor.committed(), Steps{3});
}

void CheckpointsTest::a_stage_without_a_snapshot_ends_the_step() {
    CheckpointFloor floor(1);
    floor.take(0, 5, 10);
    floor.miss(1, 5);
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(10)}}}));
    QCOMPARE(floor.warnings().size(), std::size_t{1});
    QVERIFY(
        QString::fromStdString(floor.warnings()[0])
            .startsWith("no checkpoint after step 5, since t-1/stage-1/0 has no snapshot of it: here: no snapshot"));
    // Whoever comes first: what comes after it is of no use.
    floor.clear();
    floor.miss(0, 10);
    floor.take(1, 10, 21);
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(21)}}}));
    QVERIFY(floor.committed().empty());
    // While another is copied, and of the one that is copied: it goes on with the next.
    CheckpointFloor wide;
    wide.take_all(5, 10);
    wide.take_all(10, 20);
    wide.clear();
    wide.miss(0, 5);
    QCOMPARE(wide.copies().size(), std::size_t{2});
    QCOMPARE(wide.copies()[0].second.hash, blob(20));
}

void CheckpointsTest::the_log_has_a_few_lines_however_often_a_disk_is_full() {
    CheckpointFloor floor(1);
    for (int step = 1; step <= 100; ++step) floor.miss(0, step);
    QCOMPARE(floor.warnings().size(), static_cast<std::size_t>(note_burst));
    floor.pass(note_interval);
    floor.checkpoints.check_deadlines();
    QCOMPARE(floor.warnings().size(), static_cast<std::size_t>(note_burst) + 1);
    QVERIFY(QString::fromStdString(floor.warnings().back()).contains("the last of 95 such lines"));
}

void CheckpointsTest::what_is_no_blob_is_no_snapshot() {
    CheckpointFloor floor(1);
    floor.take(0, 5, 10);
    floor.say(floor.checkpoints, PeerId(0), floor.snapshot(1, 5, "../../etc/passwd", 1, {}));
    QVERIFY(floor.committed().empty());
    QVERIFY(QString::fromStdString(floor.warnings().at(0)).contains("a snapshot that is no blob"));
}

void CheckpointsTest::older_checkpoints_are_dropped_beyond_those_that_are_kept() {
    CheckpointFloor floor;
    for (const int step : {5, 10}) {
        floor.take_all(step, step);
        floor.end_copies();
        floor.clear();
    }
    floor.take_all(15, 15);
    QVERIFY(floor.dropped().empty());
    floor.end_copies();
    QCOMPARE(floor.committed(), Steps{15});
    // Each node had a snapshot and a copy of the other's.
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(5), blob(6)}}, {at_b, {blob(5), blob(6)}}}));
    QCOMPARE(floor.task().checkpoints.size(), std::size_t{2});
}

void CheckpointsTest::a_stage_without_state_keeps_its_snapshot() {
    CheckpointFloor floor(1, {Every::steps, 5, 1});
    const auto commit = [&](int step) {
        floor.take(0, step, 99);
        floor.take(1, step, step);
    };
    commit(5);
    commit(10);
    QCOMPARE(floor.committed(), (Steps{5, 10}));
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(5)}}}));
    // Also while only a step that is not committed has it.
    floor.clear();
    floor.take(0, 15, 98);
    floor.take(0, 20, 99);
    floor.take(1, 15, 15);
    QCOMPARE(floor.committed(), Steps{15});
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(10)}}}));
}

void CheckpointsTest::a_copy_that_fails_is_tried_elsewhere_and_then_left_out() {
    CheckpointFloor floor;
    const Error full{ErrorCode::exhausted, "the disk is full", "m/b", "make room"};
    floor.take_all(5, 10);
    const auto first = floor.copies();
    floor.end_copy(first[1]);
    floor.clear();
    floor.end_copy(first[0], full);
    const auto second = floor.copies();
    QCOMPARE(second.size(), std::size_t{1});
    QCOMPARE(second[0].first, at_c);
    QVERIFY(floor.committed().empty() && floor.warnings().empty());
    floor.end_copy(second[0], full);
    QCOMPARE(floor.committed(), Steps{5});
    QCOMPARE(floor.task().checkpoints[0].parts[0].nodes, std::vector<NodeId>{node_a});
    QCOMPARE(floor.task().checkpoints[0].parts[1].nodes, (std::vector<NodeId>{node_b, node_a}));
    QCOMPARE(floor.warnings().size(), std::size_t{1});
    QVERIFY(QString::fromStdString(floor.warnings()[0])
                .startsWith("the snapshot of t-1/stage-0/0 after step 5 lies on m/a alone: m/b: the disk is full"));
}

void CheckpointsTest::a_node_that_goes_while_it_gets_a_copy_is_replaced() {
    CheckpointFloor floor;
    floor.take_all(5, 10);
    const auto first = floor.copies();
    floor.end_copy(first[1]);
    floor.clear();
    floor.lose(node_b);
    const auto second = floor.copies();
    QCOMPARE(second.size(), std::size_t{1});
    QCOMPARE(second[0].first, at_c);
    floor.end_copy(second[0]);
    QCOMPARE(floor.task().checkpoints.at(0).parts[0].nodes, (std::vector<NodeId>{node_a, node_c}));
}

void CheckpointsTest::a_snapshot_whose_node_goes_before_the_copy_is_no_checkpoint() {
    CheckpointFloor floor(4);
    floor.take_all(5, 10);
    floor.take_all(10, 20);
    floor.clear();
    floor.lose(node_a);
    QVERIFY(floor.committed().empty());
    QVERIFY(QString::fromStdString(floor.warnings().at(0)).contains("is lost with m/a before it was copied"));
    // What its store does not have, or has damaged, is lost as well.
    CheckpointFloor damaged;
    damaged.take_all(5, 10);
    damaged.end_copy(damaged.copies()[0], Error{ErrorCode::corrupt, "it is not what it says", "m/a", "remove it"});
    damaged.end_copies();
    QVERIFY(damaged.committed().empty());
    QCOMPARE(damaged.warnings().size(), std::size_t{1});
}

/// As after a restart, where instances come before nodes and say anew what was given up before.
void CheckpointsTest::snapshots_wait_for_their_nodes() {
    CheckpointFloor floor(2);
    floor.lose(node_a);
    floor.clear();
    floor.take(0, 5, 10);
    floor.take(1, 5, 11);
    floor.checkpoints.look();
    QVERIFY(floor.copies().empty() && floor.committed().empty() && floor.warnings().empty());
    floor.add_node(0);
    floor.checkpoints.look();
    QCOMPARE(floor.copies().size(), std::size_t{2});
    floor.end_copies();
    QCOMPARE(floor.committed(), Steps{5});
}

void CheckpointsTest::a_copy_that_is_under_way_is_dropped_when_it_is_there() {
    CheckpointFloor floor;
    floor.take_all(5, 10);
    const auto copies = floor.copies();
    floor.clear();
    floor.desk.append(TaskEnding{the_task, Outcome::stopped, {}, "stopped"});
    floor.checkpoints.look();
    QVERIFY(floor.dropped().empty());  // what is being read and written stays
    floor.end_copy(copies[0]);
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(10)}}, {at_b, {blob(10)}}}));
    floor.end_copy(copies[1], Error{ErrorCode::exhausted, "the disk is full", "m/a", "make room"});
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(10), blob(11)}}, {at_b, {blob(10), blob(11)}}}));
    QVERIFY(floor.committed().empty() && floor.checkpoints.pending_blobs().empty());
}

void CheckpointsTest::snapshots_of_two_tasks_that_are_the_same_are_copied_once() {
    CheckpointFloor floor;
    const TaskId twin("t-2");
    floor.submit(twin, {Every::steps, 5, 2});
    floor.take_all(5, 10);
    floor.take(0, 5, 10, 1, twin);
    floor.take(1, 5, 11, 1, twin);
    QCOMPARE(floor.copies().size(), std::size_t{2});
    floor.desk.append(TaskEnding{the_task, Outcome::stopped, {}, "stopped"});
    floor.checkpoints.look();
    floor.end_copies();
    QCOMPARE(floor.logged<CheckpointCommitted>().size(), std::size_t{1});
    QVERIFY(floor.logged<CheckpointCommitted>()[0].task == twin);
    QVERIFY(floor.dropped().empty());
}

void CheckpointsTest::a_recovery_drops_what_is_pending_and_what_came_later() {
    CheckpointFloor floor(1, {Every::steps, 5, 3});
    floor.take_all(5, 10);
    floor.take_all(10, 20);
    floor.take(0, 15, 30);
    floor.clear();
    floor.recover(5);
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(20), blob(21), blob(30)}}}));
    QCOMPARE(floor.task().checkpoints.size(), std::size_t{1});
    // The new generation makes it again, with the same bits.
    floor.clear();
    floor.take_all(10, 20);
    QCOMPARE(floor.committed(), Steps{10});
    QVERIFY(floor.dropped().empty());
}

void CheckpointsTest::while_it_is_held_nothing_is_committed() {
    CheckpointFloor floor(1);
    floor.take_all(5, 10);
    QCOMPARE(floor.committed(), Steps{5});
    floor.checkpoints.hold(the_task);
    floor.take_all(10, 20);
    floor.take_all(15, 30);
    QCOMPARE(floor.committed(), Steps{5});
    floor.checkpoints.let_go(the_task);
    QCOMPARE(floor.committed(), (Steps{5, 15}));
    // Also what was being copied when it began.
    CheckpointFloor other;
    other.take_all(5, 10);
    other.checkpoints.hold(the_task);
    other.end_copies();
    QVERIFY(other.committed().empty());
    other.checkpoints.let_go(the_task);
    QCOMPARE(other.committed(), Steps{5});
}

void CheckpointsTest::a_re_cut_drops_what_is_pending() {
    CheckpointFloor floor(1);
    floor.take_all(5, 10);
    floor.take(0, 10, 20);
    floor.clear();
    floor.desk.append(TaskRecut{the_task, 2, 5, "old", "new", "me", "", {{node_a, {0, 1}}}});
    floor.checkpoints.look();
    QCOMPARE(floor.dropped()[at_a], std::set<std::string>{blob(20)});
    floor.take(1, 10, 21);
    QCOMPARE(floor.committed(), Steps{});
}

void CheckpointsTest::what_a_re_cut_brought_goes_with_its_checkpoint() {
    CheckpointFloor floor;
    Recutter recut;
    floor.take_all(5, 10);
    floor.end_copies();
    floor.clear();
    QVERIFY(floor.transfers.bring(blob(10), node_a, node_c, recut));
    floor.end_copies();
    QVERIFY(floor.dropped().empty());  // the checkpoint is kept, and so is what was brought of it
    for (const int step : {20, 30}) {
        floor.clear();
        floor.take_all(step, step);
        floor.end_copies();
    }
    QCOMPARE(floor.dropped(),
             (Dropped{{at_a, {blob(10), blob(11)}}, {at_b, {blob(10), blob(11)}}, {at_c, {blob(10)}}}));
}

void CheckpointsTest::what_arrives_for_a_re_cut_that_was_given_up_goes_at_once() {
    CheckpointFloor floor;
    Recutter recut;
    floor.take_all(5, 10);
    floor.end_copies();
    floor.clear();
    QVERIFY(floor.transfers.bring(blob(10), node_a, node_c, recut));
    floor.desk.append(TaskEnding{the_task, Outcome::stopped, {}, "stopped"});
    floor.desk.append(TaskEnded{the_task, Outcome::stopped, {}});
    floor.checkpoints.look();
    QVERIFY(!floor.dropped().contains(at_c));  // it is on its way
    floor.end_copies();
    QCOMPARE(floor.dropped()[at_c], std::set<std::string>{blob(10)});
}

void CheckpointsTest::the_end_of_a_task_drops_all() {
    CheckpointFloor floor(1);
    floor.take_all(5, 10);
    floor.take(0, 10, 20);
    floor.clear();
    floor.desk.append(TaskEnding{the_task, Outcome::succeeded, {}, "all steps done"});
    floor.checkpoints.look();
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(20)}}}));
    floor.take(1, 10, 21);  // it was on its way
    floor.desk.append(TaskEnded{the_task, Outcome::succeeded, {}});
    floor.checkpoints.look();
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(10), blob(11), blob(20), blob(21)}}}));
    QVERIFY(!floor.checkpoints.next_deadline());
}

void CheckpointsTest::a_restart_knows_what_is_committed_and_nothing_else() {
    CheckpointFloor floor(1, {Every::steps, 5, 1});
    floor.take_all(5, 10);
    floor.take(0, 10, 20);
    Checkpoints after(floor.desk, floor.transfers);
    floor.desk.follow([&](const Event& event) { after.follow(event); });
    floor.clear();
    after.adopt();
    const auto take = [&](std::int32_t stage, std::int64_t step, int number) {
        floor.say(after, PeerId(0), floor.snapshot(stage, step, blob(number), 1, {}));
        after.look();
    };
    take(1, 10, 21);
    QVERIFY(floor.committed().empty());
    for (const std::int32_t stage : {0, 1}) take(stage, 15, 30 + stage);
    for (const auto& [node, asked] : floor.copies())
        floor.say(floor.transfers, node, BlobFetched{asked.transfer, 1000, {}});
    after.look();
    QCOMPARE(floor.committed(), Steps{15});
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(10), blob(11), blob(21)}}}));
}

/// What was given up before the restart is said anew by its instances, and may be gone.
void CheckpointsTest::after_a_restart_the_only_node_says_what_it_has() {
    CheckpointFloor floor(1);
    Checkpoints after(floor.desk, floor.transfers);
    floor.desk.follow([&](const Event& event) { after.follow(event); });
    after.adopt();
    const auto take_all = [&](std::int64_t step, int number) {
        floor.clear();
        for (const std::int32_t stage : {0, 1})
            floor.say(after, PeerId(0), floor.snapshot(stage, step, blob(number + stage), 1, {}));
        after.look();
        return floor.copies();
    };
    const auto answer = [&](const std::pair<PeerId, FetchBlob>& asked, std::optional<Error> error = {}) {
        floor.say(floor.transfers, asked.first, BlobFetched{asked.second.transfer, 1000, std::move(error)});
        after.look();
    };
    const auto gone = take_all(5, 10);
    QCOMPARE(gone.size(), std::size_t{2});
    QCOMPARE(gone[0].first, at_a);
    QCOMPARE(gone[0].second.endpoint, std::string("ipc:///m/a"));
    QVERIFY(floor.committed().empty());
    answer(gone[0], Error{ErrorCode::not_found, "no such blob", "m/a", "bring it"});
    answer(gone[1]);
    QVERIFY(floor.committed().empty());
    QCOMPARE(floor.warnings().size(), std::size_t{1});
    const auto there = take_all(10, 20);
    QCOMPARE(there.size(), std::size_t{2});
    for (const auto& asked : there) answer(asked);
    QCOMPARE(floor.committed(), Steps{10});
    QCOMPARE(floor.task().checkpoints.at(0).parts[0].nodes, std::vector<NodeId>{node_a});
    QVERIFY(floor.warnings().empty());
    // The next generation says nothing anew that another process has heard.
    floor.desk.append(TaskRecovers{the_task, ++floor.generation, 10, {}, "a fault"});
    for (const std::int32_t stage : {0, 1}) floor.place(the_task, stage, node_a);
    floor.desk.append(PhaseChanged{the_task, TaskPhase::exchange, ""});
    QVERIFY(take_all(15, 30).empty());
    QCOMPARE(floor.committed(), Steps{15});
}

DIVISI_TEST(CheckpointsTest)

}  // namespace checkpoints_test

#include "checkpoints_test.moc"
