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

/// Another orderer of transfers besides the checkpoints.
struct Recutter final : TransferListener {
    void brought(const std::string&, const NodeId&, std::uint64_t, const std::optional<Error>&) override {}
};

}  // namespace

/// Tests how snapshots become checkpoints: whose snapshots count, where copies lie, when a step is committed, and what
/// is dropped.
class CheckpointsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void step_is_committed_once_snapshots_and_copies_exist();
    void single_node_commits_without_copies();
    void nodes_with_a_shared_store_need_no_copies();
    void copies_prefer_another_host_of_the_task();
    void snapshots_of_secure_nodes_stay_on_secure_nodes();
    void snapshots_of_old_or_unknown_instances_are_ignored();
    void repeated_snapshots_count_once();
    void older_step_is_not_committed_after_a_newer_one();
    void one_step_is_copied_at_a_time_then_the_newest();
    void incomplete_steps_are_bounded();
    void missing_snapshot_gives_up_the_step();
    void full_disk_is_logged_at_a_limited_rate();
    void malformed_hash_is_not_a_snapshot();
    void checkpoints_beyond_the_kept_ones_are_dropped();
    void unchanged_snapshot_outlives_older_checkpoints();
    void failed_copy_is_retried_elsewhere_then_skipped();
    void node_lost_during_a_copy_is_replaced();
    void snapshot_lost_before_its_copy_is_no_checkpoint();
    void snapshots_wait_for_their_nodes();
    void copy_in_progress_is_dropped_on_arrival();
    void identical_snapshots_of_two_tasks_are_copied_once();
    void recovery_drops_pending_and_later_snapshots();
    void nothing_is_committed_during_a_hold();
    void recut_drops_pending_snapshots();
    void blobs_brought_for_a_recut_go_with_their_checkpoint();
    void blob_of_an_abandoned_recut_is_dropped_on_arrival();
    void end_of_a_task_drops_all_snapshots();
    void restart_restores_only_committed_checkpoints();
    void after_a_restart_the_only_node_is_asked_for_its_blobs();
};

void CheckpointsTest::step_is_committed_once_snapshots_and_copies_exist() {
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

void CheckpointsTest::single_node_commits_without_copies() {
    CheckpointFloor floor(1);
    floor.take_all(5, 10);
    QVERIFY(floor.copies().empty());
    QCOMPARE(floor.committed(), Steps{5});
    QCOMPARE(floor.task().checkpoints[0].parts[1].nodes, std::vector<NodeId>{node_a});
    QVERIFY(floor.warnings().empty());
}

void CheckpointsTest::nodes_with_a_shared_store_need_no_copies() {
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

void CheckpointsTest::copies_prefer_another_host_of_the_task() {
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
    // The task runs on a and b. Apart from those, the next node by name is chosen, and after the last the first.
    QCOMPARE(next_to(node_a), std::string("m/b"));
    QCOMPARE(next_to(node_b), std::string("m/a"));
    QCOMPARE(next_to(node_a, {node_b}), std::string("m/c"));
    QCOMPARE(next_to(NodeId("m/e"), {node_a, node_b}), std::string("m/c"));
    // Another host takes precedence over a node of the task, and a node of the task over another MIC.
    set("m/b", "host of m/a", "m");
    QCOMPARE(next_to(node_a), std::string("m/c"));
    set("m/d", "host of m/d", "other");
    QCOMPARE(next_to(node_a), std::string("m/d"));
    set("m/b", "host of m/b", "m");
    QCOMPARE(next_to(node_a), std::string("m/b"));
    // A node with a standby is preferred: the standby can restore from that node's copy.
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

void CheckpointsTest::snapshots_of_secure_nodes_stay_on_secure_nodes() {
    CheckpointFloor floor;
    NodeInfo info = floor.desk.state().nodes.at(node_b).info;
    info.secure = true;
    floor.desk.append(NodeJoined{info});
    QVERIFY(!snapshot_neighbour(floor.desk, the_task, node_b));
    QCOMPARE(snapshot_neighbour(floor.desk, the_task, node_a).value(), node_b);
}

void CheckpointsTest::snapshots_of_old_or_unknown_instances_are_ignored() {
    CheckpointFloor floor(1);
    const SnapshotTaken old = floor.snapshot(1, 5, blob(11), 1, {});
    floor.take(0, 5, 10);
    floor.recover(0);
    floor.clear();
    // A snapshot of the previous instance, and one of the newest instance with the old generation.
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
    // Snapshots of a task and an instance that do not exist.
    SnapshotTaken of_nobody = floor.snapshot(0, 6, blob(30), 1, {});
    of_nobody.task = TaskId("t-2");
    floor.say(floor.checkpoints, PeerId(0), of_nobody);
    of_nobody.instance = InstanceId("t-2/stage-0/0#1");
    floor.say(floor.checkpoints, PeerId(0), of_nobody);
    QVERIFY(floor.checkpoints.pending_blobs().empty());
}

void CheckpointsTest::repeated_snapshots_count_once() {
    CheckpointFloor floor;
    floor.take(0, 5, 10);
    floor.take(0, 5, 10);
    QVERIFY(floor.copies().empty());
    floor.take(1, 5, 11);
    floor.take(1, 5, 11);
    QCOMPARE(floor.copies().size(), std::size_t{2});
    floor.end_copies();
    floor.take(1, 5, 11);  // the committed snapshot is reported again and stays
    QCOMPARE(floor.committed(), Steps{5});
    QVERIFY(floor.dropped().empty());
}

void CheckpointsTest::older_step_is_not_committed_after_a_newer_one() {
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

void CheckpointsTest::one_step_is_copied_at_a_time_then_the_newest() {
    CheckpointFloor floor;
    for (const int step : {1, 2, 3, 4}) floor.take_all(step, 10 * step);
    const auto first = floor.copies();
    QCOMPARE(first.size(), std::size_t{2});
    QCOMPARE(first[0].second.hash, blob(10));
    // The steps between are dropped: 2 when 3 was complete, 3 when 4 was.
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

void CheckpointsTest::incomplete_steps_are_bounded() {
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

void CheckpointsTest::missing_snapshot_gives_up_the_step() {
    CheckpointFloor floor(1);
    floor.take(0, 5, 10);
    floor.miss(1, 5);
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(10)}}}));
    QCOMPARE(floor.warnings().size(), std::size_t{1});
    QVERIFY(
        QString::fromStdString(floor.warnings()[0])
            .startsWith("no checkpoint after step 5, since t-1/stage-1/0 has no snapshot of it: here: no snapshot"));
    // If a stage has no snapshot of a step, later snapshots of that step are useless.
    floor.clear();
    floor.miss(0, 10);
    floor.take(1, 10, 21);
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(21)}}}));
    QVERIFY(floor.committed().empty());
    // A stage misses a step while another step is copied, and then the step that is copied. The next step follows.
    CheckpointFloor wide;
    wide.take_all(5, 10);
    wide.take_all(10, 20);
    wide.clear();
    wide.miss(0, 5);
    QCOMPARE(wide.copies().size(), std::size_t{2});
    QCOMPARE(wide.copies()[0].second.hash, blob(20));
}

void CheckpointsTest::full_disk_is_logged_at_a_limited_rate() {
    CheckpointFloor floor(1);
    for (int step = 1; step <= 100; ++step) floor.miss(0, step);
    QCOMPARE(floor.warnings().size(), static_cast<std::size_t>(note_burst));
    floor.pass(note_interval);
    floor.checkpoints.check_deadlines();
    QCOMPARE(floor.warnings().size(), static_cast<std::size_t>(note_burst) + 1);
    QVERIFY(QString::fromStdString(floor.warnings().back()).contains("the last of 95 such lines"));
}

void CheckpointsTest::malformed_hash_is_not_a_snapshot() {
    CheckpointFloor floor(1);
    floor.take(0, 5, 10);
    floor.say(floor.checkpoints, PeerId(0), floor.snapshot(1, 5, "../../etc/passwd", 1, {}));
    QVERIFY(floor.committed().empty());
    QVERIFY(QString::fromStdString(floor.warnings().at(0)).contains("a snapshot that is no blob"));
}

void CheckpointsTest::checkpoints_beyond_the_kept_ones_are_dropped() {
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
    // Each node had its own snapshot and a copy of the other node's.
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(5), blob(6)}}, {at_b, {blob(5), blob(6)}}}));
    QCOMPARE(floor.task().checkpoints.size(), std::size_t{2});
}

void CheckpointsTest::unchanged_snapshot_outlives_older_checkpoints() {
    CheckpointFloor floor(1, {Every::steps, 5, 1});
    const auto commit = [&](int step) {
        floor.take(0, step, 99);
        floor.take(1, step, step);
    };
    commit(5);
    commit(10);
    QCOMPARE(floor.committed(), (Steps{5, 10}));
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(5)}}}));
    // The snapshot also stays if only an uncommitted step has it.
    floor.clear();
    floor.take(0, 15, 98);
    floor.take(0, 20, 99);
    floor.take(1, 15, 15);
    QCOMPARE(floor.committed(), Steps{15});
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(10)}}}));
}

void CheckpointsTest::failed_copy_is_retried_elsewhere_then_skipped() {
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

void CheckpointsTest::node_lost_during_a_copy_is_replaced() {
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

void CheckpointsTest::snapshot_lost_before_its_copy_is_no_checkpoint() {
    CheckpointFloor floor(4);
    floor.take_all(5, 10);
    floor.take_all(10, 20);
    floor.clear();
    floor.lose(node_a);
    QVERIFY(floor.committed().empty());
    QVERIFY(QString::fromStdString(floor.warnings().at(0)).contains("is lost with m/a before it was copied"));
    // A snapshot that its store lacks or has damaged is lost as well.
    CheckpointFloor damaged;
    damaged.take_all(5, 10);
    damaged.end_copy(damaged.copies()[0], Error{ErrorCode::corrupt, "it is not what it says", "m/a", "remove it"});
    damaged.end_copies();
    QVERIFY(damaged.committed().empty());
    QCOMPARE(damaged.warnings().size(), std::size_t{1});
}

/// As after a restart: instances connect before nodes, and report again the snapshots given up before.
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

void CheckpointsTest::copy_in_progress_is_dropped_on_arrival() {
    CheckpointFloor floor;
    floor.take_all(5, 10);
    const auto copies = floor.copies();
    floor.clear();
    floor.desk.append(TaskEnding{the_task, Outcome::stopped, {}, "stopped"});
    floor.checkpoints.look();
    QVERIFY(floor.dropped().empty());  // blobs that are being read or written stay
    floor.end_copy(copies[0]);
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(10)}}, {at_b, {blob(10)}}}));
    floor.end_copy(copies[1], Error{ErrorCode::exhausted, "the disk is full", "m/a", "make room"});
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(10), blob(11)}}, {at_b, {blob(10), blob(11)}}}));
    QVERIFY(floor.committed().empty() && floor.checkpoints.pending_blobs().empty());
}

void CheckpointsTest::identical_snapshots_of_two_tasks_are_copied_once() {
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

void CheckpointsTest::recovery_drops_pending_and_later_snapshots() {
    CheckpointFloor floor(1, {Every::steps, 5, 3});
    floor.take_all(5, 10);
    floor.take_all(10, 20);
    floor.take(0, 15, 30);
    floor.clear();
    floor.recover(5);
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(20), blob(21), blob(30)}}}));
    QCOMPARE(floor.task().checkpoints.size(), std::size_t{1});
    // The new generation repeats the step and writes identical snapshots.
    floor.clear();
    floor.take_all(10, 20);
    QCOMPARE(floor.committed(), Steps{10});
    QVERIFY(floor.dropped().empty());
}

void CheckpointsTest::nothing_is_committed_during_a_hold() {
    CheckpointFloor floor(1);
    floor.take_all(5, 10);
    QCOMPARE(floor.committed(), Steps{5});
    floor.checkpoints.hold(the_task);
    floor.take_all(10, 20);
    floor.take_all(15, 30);
    QCOMPARE(floor.committed(), Steps{5});
    floor.checkpoints.let_go(the_task);
    QCOMPARE(floor.committed(), (Steps{5, 15}));
    // The same holds for a step that was being copied when the hold began.
    CheckpointFloor other;
    other.take_all(5, 10);
    other.checkpoints.hold(the_task);
    other.end_copies();
    QVERIFY(other.committed().empty());
    other.checkpoints.let_go(the_task);
    QCOMPARE(other.committed(), Steps{5});
}

void CheckpointsTest::recut_drops_pending_snapshots() {
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

void CheckpointsTest::blobs_brought_for_a_recut_go_with_their_checkpoint() {
    CheckpointFloor floor;
    Recutter recut;
    floor.take_all(5, 10);
    floor.end_copies();
    floor.clear();
    QVERIFY(floor.transfers.bring(blob(10), node_a, node_c, recut));
    floor.end_copies();
    QVERIFY(floor.dropped().empty());  // the checkpoint is kept, and so is the copy that was brought for the re-cut
    for (const int step : {20, 30}) {
        floor.clear();
        floor.take_all(step, step);
        floor.end_copies();
    }
    QCOMPARE(floor.dropped(),
             (Dropped{{at_a, {blob(10), blob(11)}}, {at_b, {blob(10), blob(11)}}, {at_c, {blob(10)}}}));
}

void CheckpointsTest::blob_of_an_abandoned_recut_is_dropped_on_arrival() {
    CheckpointFloor floor;
    Recutter recut;
    floor.take_all(5, 10);
    floor.end_copies();
    floor.clear();
    QVERIFY(floor.transfers.bring(blob(10), node_a, node_c, recut));
    floor.desk.append(TaskEnding{the_task, Outcome::stopped, {}, "stopped"});
    floor.desk.append(TaskEnded{the_task, Outcome::stopped, {}});
    floor.checkpoints.look();
    QVERIFY(!floor.dropped().contains(at_c));  // the blob is still in transit
    floor.end_copies();
    QCOMPARE(floor.dropped()[at_c], std::set<std::string>{blob(10)});
}

void CheckpointsTest::end_of_a_task_drops_all_snapshots() {
    CheckpointFloor floor(1);
    floor.take_all(5, 10);
    floor.take(0, 10, 20);
    floor.clear();
    floor.desk.append(TaskEnding{the_task, Outcome::succeeded, {}, "all steps done"});
    floor.checkpoints.look();
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(20)}}}));
    floor.take(1, 10, 21);  // the snapshot was still in transit
    floor.desk.append(TaskEnded{the_task, Outcome::succeeded, {}});
    floor.checkpoints.look();
    QCOMPARE(floor.dropped(), (Dropped{{at_a, {blob(10), blob(11), blob(20), blob(21)}}}));
    QVERIFY(!floor.checkpoints.next_deadline());
}

void CheckpointsTest::restart_restores_only_committed_checkpoints() {
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

/// After a restart, instances report again the snapshots given up before. Those may no longer exist.
void CheckpointsTest::after_a_restart_the_only_node_is_asked_for_its_blobs() {
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
    // Checkpoints asks the node only for snapshots that an earlier orchestrator may have given up. It does not ask for
    // snapshots of the next generation.
    floor.desk.append(TaskRecovers{the_task, ++floor.generation, 10, {}, "a fault"});
    for (const std::int32_t stage : {0, 1}) floor.place(the_task, stage, node_a);
    floor.desk.append(PhaseChanged{the_task, TaskPhase::exchange, ""});
    QVERIFY(take_all(15, 30).empty());
    QCOMPARE(floor.committed(), Steps{15});
}

DIVISI_TEST(CheckpointsTest)

}  // namespace checkpoints_test

#include "checkpoints_test.moc"
