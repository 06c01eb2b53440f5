// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/checkpoints.h"

#include "backend/control/change/snapshot_neighbour.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/checkpoint_fixture.h"

namespace checkpoints_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;

namespace {

using Dropped = std::map<PeerId, std::set<std::string>>;
using Steps = std::vector<std::int64_t>;
const PeerId at_a(1), at_b(2), at_c(3);

/// A second class that orders transfers, besides the checkpoints.
struct Recutter final : TransferListener {
    void brought(const std::string&, const NodeId&, std::uint64_t, const std::optional<Error>&) override {}
};

}  // namespace

/// Tests how snapshots become checkpoints: which snapshots count, which nodes get copies, when a step is committed, and
/// which blobs are dropped.
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
    void after_each_copied_step_only_the_newest_is_copied();
    void incomplete_steps_are_bounded();
    void missing_snapshot_gives_up_the_step();
    void full_disk_is_logged_at_a_limited_rate();
    void malformed_hash_is_not_a_snapshot();
    void checkpoints_beyond_the_kept_ones_are_dropped();
    void unchanged_snapshot_outlives_older_checkpoints();
    void failed_copy_is_retried_elsewhere_then_skipped();
    void node_lost_during_a_copy_is_replaced();
    void snapshot_lost_before_its_copy_is_no_checkpoint();
    void snapshots_reported_before_their_node_returns_are_kept();
    void blob_being_copied_is_dropped_after_its_copy_ends();
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
    CheckpointFixture fixture;
    fixture.take(1, 5, 11);
    QVERIFY(fixture.copies().empty());
    fixture.take(0, 5, 10);
    const auto copies = fixture.copies();
    QCOMPARE(copies.size(), std::size_t{2});
    QCOMPARE(copies[0].first, at_b);
    QCOMPARE(copies[0].second.hash, blob(10));
    QCOMPARE(copies[0].second.endpoint, std::string("ipc:///m/a"));
    QCOMPARE(copies[1].first, at_a);
    QCOMPARE(copies[1].second.hash, blob(11));
    QCOMPARE(fixture.checkpoints.pending_blobs(), (std::set<std::string>{blob(10), blob(11)}));
    fixture.end_copy(copies[1]);
    QVERIFY(fixture.committed().empty());
    fixture.end_copy(copies[0]);
    const auto events = fixture.logged<CheckpointCommitted>();
    QCOMPARE(events.size(), std::size_t{1});
    const SegmentSnapshot first{Sid("t-1/stage-0/0"), 0, blob(10), 1000, {node_a, node_b}};
    const SegmentSnapshot second{Sid("t-1/stage-1/0"), 1, blob(11), 1000, {node_b, node_a}};
    QVERIFY(events[0].task == the_task);
    QVERIFY(events[0].checkpoint == (Checkpoint{1, 5, fixture.now, {first, second}}));
    QVERIFY(fixture.task().checkpoints == std::vector<Checkpoint>{events[0].checkpoint});
    QVERIFY(fixture.checkpoints.pending_blobs().empty());
    QVERIFY(fixture.dropped().empty() && fixture.warnings().empty());
}

void CheckpointsTest::single_node_commits_without_copies() {
    CheckpointFixture fixture(1);
    fixture.take_all(5, 10);
    QVERIFY(fixture.copies().empty());
    QCOMPARE(fixture.committed(), Steps{5});
    QCOMPARE(fixture.task().checkpoints[0].parts[1].nodes, std::vector<NodeId>{node_a});
    QVERIFY(fixture.warnings().empty());
}

void CheckpointsTest::nodes_with_a_shared_store_need_no_copies() {
    CheckpointFixture fixture(2);
    for (const NodeId& id : {node_a, node_b}) {
        NodeInfo info = fixture.context.state().nodes.at(id).info;
        info.blob_endpoint = "ipc:///shared";
        fixture.context.append(NodeJoined{info});
    }
    fixture.take_all(5, 10);
    QVERIFY(fixture.copies().empty());
    QCOMPARE(fixture.committed(), Steps{5});
}

void CheckpointsTest::copies_prefer_another_host_of_the_task() {
    CheckpointFixture fixture(5);
    const auto set = [&](const std::string& name, const std::string& host, const std::string& mic) {
        NodeInfo info = fixture.context.state().nodes.at(NodeId(name)).info;
        info.host = host;
        info.mic = MicId(mic);
        fixture.context.append(NodeJoined{info});
    };
    const auto next_to = [&](const NodeId& own, const std::set<NodeId>& without = {}) {
        return snapshot_neighbour(fixture.context, the_task, own, without).value_or(NodeId("none")).value();
    };
    // The task runs on a and b, so each of them gets the copies of the other. Without them, the next node by name gets
    // the copies; the first node follows the last.
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
    fixture.context.append(InstancePlaced{the_task, standby, sid_of(standby), NodeId("m/e"), standby_stage, 1});
    QCOMPARE(next_to(node_a), std::string("m/e"));
    fixture.context.append(InstanceEnded{standby, "killed"});
    QCOMPARE(next_to(node_a), std::string("m/b"));
    for (const char* name : {"m/b", "m/c", "m/d", "m/e"}) set(name, "host of m/a", "m");
    QCOMPARE(next_to(node_a), std::string("m/b"));
    fixture.lose(node_b);
    QCOMPARE(next_to(node_a), std::string("m/c"));
    QCOMPARE(next_to(node_a, {node_c, NodeId("m/d"), NodeId("m/e")}), std::string("none"));
}

void CheckpointsTest::snapshots_of_secure_nodes_stay_on_secure_nodes() {
    CheckpointFixture fixture;
    NodeInfo info = fixture.context.state().nodes.at(node_b).info;
    info.secure = true;
    fixture.context.append(NodeJoined{info});
    QVERIFY(!snapshot_neighbour(fixture.context, the_task, node_b));
    QCOMPARE(snapshot_neighbour(fixture.context, the_task, node_a).value(), node_b);
}

void CheckpointsTest::snapshots_of_old_or_unknown_instances_are_ignored() {
    CheckpointFixture fixture(1);
    const SnapshotTaken old = fixture.snapshot(1, 5, blob(11), 1, {});
    fixture.take(0, 5, 10);
    fixture.recover(0);
    fixture.clear();
    // Report a snapshot of the previous instance, and a snapshot of the newest instance with the old generation.
    fixture.say(fixture.checkpoints, PeerId(0), old);
    SnapshotTaken confused = fixture.snapshot(1, 5, blob(12), 1, {});
    confused.generation = 1;
    fixture.say(fixture.checkpoints, PeerId(0), confused);
    fixture.checkpoints.poll();
    QCOMPARE(fixture.dropped(), (Dropped{{at_a, {blob(11), blob(12)}}}));
    fixture.take(0, 5, 20);
    QVERIFY(fixture.committed().empty());
    fixture.take(1, 5, 21);
    QCOMPARE(fixture.committed(), Steps{5});
    QCOMPARE(fixture.task().checkpoints[0].generation, Generation{2});
    // Report snapshots of a task and of an instance that do not exist.
    SnapshotTaken of_nobody = fixture.snapshot(0, 6, blob(30), 1, {});
    of_nobody.task = TaskId("t-2");
    fixture.say(fixture.checkpoints, PeerId(0), of_nobody);
    of_nobody.instance = InstanceId("t-2/stage-0/0#1");
    fixture.say(fixture.checkpoints, PeerId(0), of_nobody);
    QVERIFY(fixture.checkpoints.pending_blobs().empty());
}

void CheckpointsTest::repeated_snapshots_count_once() {
    CheckpointFixture fixture;
    fixture.take(0, 5, 10);
    fixture.take(0, 5, 10);
    QVERIFY(fixture.copies().empty());
    fixture.take(1, 5, 11);
    fixture.take(1, 5, 11);
    QCOMPARE(fixture.copies().size(), std::size_t{2});
    fixture.end_copies();
    fixture.take(1, 5, 11);  // the committed snapshot is reported again and stays
    QCOMPARE(fixture.committed(), Steps{5});
    QVERIFY(fixture.dropped().empty());
}

void CheckpointsTest::older_step_is_not_committed_after_a_newer_one() {
    CheckpointFixture fixture(1);
    fixture.take(0, 5, 10);
    fixture.take(0, 10, 20);
    fixture.take(0, 15, 30);
    fixture.take(1, 10, 21);
    QCOMPARE(fixture.committed(), Steps{10});
    QCOMPARE(fixture.dropped(), (Dropped{{at_a, {blob(10)}}}));
    fixture.clear();
    fixture.take(1, 5, 11);
    QVERIFY(fixture.committed().empty());
    QCOMPARE(fixture.dropped(), (Dropped{{at_a, {blob(11)}}}));
    fixture.take(1, 15, 31);
    QCOMPARE(fixture.committed(), Steps{15});
}

void CheckpointsTest::after_each_copied_step_only_the_newest_is_copied() {
    CheckpointFixture fixture;
    for (const int step : {1, 2, 3, 4}) fixture.take_all(step, 10 * step);
    const auto first = fixture.copies();
    QCOMPARE(first.size(), std::size_t{2});
    QCOMPARE(first[0].second.hash, blob(10));
    // The steps in between are dropped: step 2 when step 3 was complete, step 3 when step 4 was complete.
    QCOMPARE(fixture.dropped(), (Dropped{{at_a, {blob(20), blob(30)}}, {at_b, {blob(21), blob(31)}}}));
    fixture.clear();
    fixture.end_copy(first[0]);
    fixture.end_copy(first[1]);
    QCOMPARE(fixture.committed(), Steps{1});
    const auto next = fixture.copies();
    QCOMPARE(next.size(), std::size_t{2});
    QCOMPARE(next[0].second.hash, blob(40));
    fixture.end_copies();
    QCOMPARE(fixture.committed(), (Steps{1, 4}));
}

void CheckpointsTest::incomplete_steps_are_bounded() {
    CheckpointFixture fixture(1);
    const int most = static_cast<int>(most_pending_steps);
    for (int step = 1; step <= most; ++step) fixture.take(0, step, step);
    QVERIFY(fixture.dropped().empty());
    fixture.take(0, most + 1, most + 1);
    fixture.take(0, most + 2, most + 2);
    QCOMPARE(fixture.dropped(), (Dropped{{at_a, {blob(1), blob(2)}}}));
    QCOMPARE(fixture.checkpoints.pending_blobs().size(), most_pending_steps);
    fixture.take(1, 3, 103);
    QCOMPARE(fixture.committed(), Steps{3});
}

void CheckpointsTest::missing_snapshot_gives_up_the_step() {
    CheckpointFixture fixture(1);
    fixture.take(0, 5, 10);
    fixture.miss(1, 5);
    QCOMPARE(fixture.dropped(), (Dropped{{at_a, {blob(10)}}}));
    QCOMPARE(fixture.warnings().size(), std::size_t{1});
    QVERIFY(
        QString::fromStdString(fixture.warnings()[0])
            .startsWith("no checkpoint after step 5, because t-1/stage-1/0 has no snapshot of it: here: no snapshot"));
    // If a stage has no snapshot of a step, later snapshots of that step are useless.
    fixture.clear();
    fixture.miss(0, 10);
    fixture.take(1, 10, 21);
    QCOMPARE(fixture.dropped(), (Dropped{{at_a, {blob(21)}}}));
    QVERIFY(fixture.committed().empty());
    // A stage misses one step while another step is being copied, and then also misses the step being copied. The next
    // step follows.
    CheckpointFixture wide;
    wide.take_all(5, 10);
    wide.take_all(10, 20);
    wide.clear();
    wide.miss(0, 5);
    QCOMPARE(wide.copies().size(), std::size_t{2});
    QCOMPARE(wide.copies()[0].second.hash, blob(20));
}

void CheckpointsTest::full_disk_is_logged_at_a_limited_rate() {
    CheckpointFixture fixture(1);
    for (int step = 1; step <= 100; ++step) fixture.miss(0, step);
    QCOMPARE(fixture.warnings().size(), static_cast<std::size_t>(note_burst));
    fixture.pass(note_interval);
    fixture.checkpoints.check_deadlines();
    QCOMPARE(fixture.warnings().size(), static_cast<std::size_t>(note_burst) + 1);
    QVERIFY(QString::fromStdString(fixture.warnings().back()).contains("the last of 95 such lines"));
}

void CheckpointsTest::malformed_hash_is_not_a_snapshot() {
    CheckpointFixture fixture(1);
    fixture.take(0, 5, 10);
    fixture.say(fixture.checkpoints, PeerId(0), fixture.snapshot(1, 5, "../../etc/passwd", 1, {}));
    QVERIFY(fixture.committed().empty());
    QVERIFY(
        QString::fromStdString(fixture.warnings().at(0)).contains("the hash of a snapshot is not the hash of a blob"));
}

void CheckpointsTest::checkpoints_beyond_the_kept_ones_are_dropped() {
    CheckpointFixture fixture;
    for (const int step : {5, 10}) {
        fixture.take_all(step, step);
        fixture.end_copies();
        fixture.clear();
    }
    fixture.take_all(15, 15);
    QVERIFY(fixture.dropped().empty());
    fixture.end_copies();
    QCOMPARE(fixture.committed(), Steps{15});
    // Each node had its own snapshot and a copy of the other node's.
    QCOMPARE(fixture.dropped(), (Dropped{{at_a, {blob(5), blob(6)}}, {at_b, {blob(5), blob(6)}}}));
    QCOMPARE(fixture.task().checkpoints.size(), std::size_t{2});
}

void CheckpointsTest::unchanged_snapshot_outlives_older_checkpoints() {
    CheckpointFixture fixture(1, {Every::steps, 5, 1});
    const auto commit = [&](int step) {
        fixture.take(0, step, 99);
        fixture.take(1, step, step);
    };
    commit(5);
    commit(10);
    QCOMPARE(fixture.committed(), (Steps{5, 10}));
    QCOMPARE(fixture.dropped(), (Dropped{{at_a, {blob(5)}}}));
    // The snapshot also stays if only an uncommitted step has it.
    fixture.clear();
    fixture.take(0, 15, 98);
    fixture.take(0, 20, 99);
    fixture.take(1, 15, 15);
    QCOMPARE(fixture.committed(), Steps{15});
    QCOMPARE(fixture.dropped(), (Dropped{{at_a, {blob(10)}}}));
}

void CheckpointsTest::failed_copy_is_retried_elsewhere_then_skipped() {
    CheckpointFixture fixture;
    const Error full{ErrorCode::exhausted, "the disk is full", "m/b", "make room"};
    fixture.take_all(5, 10);
    const auto first = fixture.copies();
    fixture.end_copy(first[1]);
    fixture.clear();
    fixture.end_copy(first[0], full);
    const auto second = fixture.copies();
    QCOMPARE(second.size(), std::size_t{1});
    QCOMPARE(second[0].first, at_c);
    QVERIFY(fixture.committed().empty() && fixture.warnings().empty());
    fixture.end_copy(second[0], full);
    QCOMPARE(fixture.committed(), Steps{5});
    QCOMPARE(fixture.task().checkpoints[0].parts[0].nodes, std::vector<NodeId>{node_a});
    QCOMPARE(fixture.task().checkpoints[0].parts[1].nodes, (std::vector<NodeId>{node_b, node_a}));
    QCOMPARE(fixture.warnings().size(), std::size_t{1});
    QVERIFY(QString::fromStdString(fixture.warnings()[0])
                .startsWith("the snapshot of t-1/stage-0/0 after step 5 is only on node m/a, without a copy: m/b: the "
                            "disk is full"));
}

void CheckpointsTest::node_lost_during_a_copy_is_replaced() {
    CheckpointFixture fixture;
    fixture.take_all(5, 10);
    const auto first = fixture.copies();
    fixture.end_copy(first[1]);
    fixture.clear();
    fixture.lose(node_b);
    const auto second = fixture.copies();
    QCOMPARE(second.size(), std::size_t{1});
    QCOMPARE(second[0].first, at_c);
    fixture.end_copy(second[0]);
    QCOMPARE(fixture.task().checkpoints.at(0).parts[0].nodes, (std::vector<NodeId>{node_a, node_c}));
}

void CheckpointsTest::snapshot_lost_before_its_copy_is_no_checkpoint() {
    CheckpointFixture fixture(4);
    fixture.take_all(5, 10);
    fixture.take_all(10, 20);
    fixture.clear();
    fixture.lose(node_a);
    QVERIFY(fixture.committed().empty());
    QVERIFY(QString::fromStdString(fixture.warnings().at(0)).contains("was lost with node m/a before it was copied"));
    // A snapshot that its store lacks or has damaged is lost as well.
    CheckpointFixture damaged;
    damaged.take_all(5, 10);
    damaged.end_copy(damaged.copies()[0], Error{ErrorCode::corrupt, "it is not what it says", "m/a", "remove it"});
    damaged.end_copies();
    QVERIFY(damaged.committed().empty());
    QCOMPARE(damaged.warnings().size(), std::size_t{1});
}

/// Simulates a restart: instances reconnect and report their snapshots before their nodes are back.
void CheckpointsTest::snapshots_reported_before_their_node_returns_are_kept() {
    CheckpointFixture fixture(2);
    fixture.lose(node_a);
    fixture.clear();
    fixture.take(0, 5, 10);
    fixture.take(1, 5, 11);
    fixture.checkpoints.poll();
    QVERIFY(fixture.copies().empty() && fixture.committed().empty() && fixture.warnings().empty());
    fixture.add_node(0);
    fixture.checkpoints.poll();
    QCOMPARE(fixture.copies().size(), std::size_t{2});
    fixture.end_copies();
    QCOMPARE(fixture.committed(), Steps{5});
}

void CheckpointsTest::blob_being_copied_is_dropped_after_its_copy_ends() {
    CheckpointFixture fixture;
    fixture.take_all(5, 10);
    const auto copies = fixture.copies();
    fixture.clear();
    fixture.context.append(TaskEnding{the_task, Outcome::stopped, {}, "stopped"});
    fixture.checkpoints.poll();
    QVERIFY(fixture.dropped().empty());  // blobs that are being read or written stay
    fixture.end_copy(copies[0]);
    QCOMPARE(fixture.dropped(), (Dropped{{at_a, {blob(10)}}, {at_b, {blob(10)}}}));
    fixture.end_copy(copies[1], Error{ErrorCode::exhausted, "the disk is full", "m/a", "make room"});
    QCOMPARE(fixture.dropped(), (Dropped{{at_a, {blob(10), blob(11)}}, {at_b, {blob(10), blob(11)}}}));
    QVERIFY(fixture.committed().empty() && fixture.checkpoints.pending_blobs().empty());
}

void CheckpointsTest::identical_snapshots_of_two_tasks_are_copied_once() {
    CheckpointFixture fixture;
    const TaskId twin("t-2");
    fixture.submit(twin, {Every::steps, 5, 2});
    fixture.take_all(5, 10);
    fixture.take(0, 5, 10, 1, twin);
    fixture.take(1, 5, 11, 1, twin);
    QCOMPARE(fixture.copies().size(), std::size_t{2});
    fixture.context.append(TaskEnding{the_task, Outcome::stopped, {}, "stopped"});
    fixture.checkpoints.poll();
    fixture.end_copies();
    QCOMPARE(fixture.logged<CheckpointCommitted>().size(), std::size_t{1});
    QVERIFY(fixture.logged<CheckpointCommitted>()[0].task == twin);
    QVERIFY(fixture.dropped().empty());
}

void CheckpointsTest::recovery_drops_pending_and_later_snapshots() {
    CheckpointFixture fixture(1, {Every::steps, 5, 3});
    fixture.take_all(5, 10);
    fixture.take_all(10, 20);
    fixture.take(0, 15, 30);
    fixture.clear();
    fixture.recover(5);
    QCOMPARE(fixture.dropped(), (Dropped{{at_a, {blob(20), blob(21), blob(30)}}}));
    QCOMPARE(fixture.task().checkpoints.size(), std::size_t{1});
    // The new generation repeats the step and writes identical snapshots.
    fixture.clear();
    fixture.take_all(10, 20);
    QCOMPARE(fixture.committed(), Steps{10});
    QVERIFY(fixture.dropped().empty());
}

void CheckpointsTest::nothing_is_committed_during_a_hold() {
    CheckpointFixture fixture(1);
    fixture.take_all(5, 10);
    QCOMPARE(fixture.committed(), Steps{5});
    fixture.checkpoints.hold(the_task);
    fixture.take_all(10, 20);
    fixture.take_all(15, 30);
    QCOMPARE(fixture.committed(), Steps{5});
    fixture.checkpoints.let_go(the_task);
    QCOMPARE(fixture.committed(), (Steps{5, 15}));
    // The same holds for a step that was being copied when the hold began.
    CheckpointFixture other;
    other.take_all(5, 10);
    other.checkpoints.hold(the_task);
    other.end_copies();
    QVERIFY(other.committed().empty());
    other.checkpoints.let_go(the_task);
    QCOMPARE(other.committed(), Steps{5});
}

void CheckpointsTest::recut_drops_pending_snapshots() {
    CheckpointFixture fixture(1);
    fixture.take_all(5, 10);
    fixture.take(0, 10, 20);
    fixture.clear();
    fixture.context.append(TaskRecut{the_task, 2, 5, "old", "new", "me", "", {{node_a, {0, 1}}}});
    fixture.checkpoints.poll();
    QCOMPARE(fixture.dropped()[at_a], std::set<std::string>{blob(20)});
    fixture.take(1, 10, 21);
    QCOMPARE(fixture.committed(), Steps{});
}

void CheckpointsTest::blobs_brought_for_a_recut_go_with_their_checkpoint() {
    CheckpointFixture fixture;
    Recutter recut;
    fixture.take_all(5, 10);
    fixture.end_copies();
    fixture.clear();
    QVERIFY(fixture.transfers.bring(blob(10), node_a, node_c, recut));
    fixture.end_copies();
    QVERIFY(fixture.dropped().empty());  // the checkpoint is kept, and so is the copy that was brought for the re-cut
    for (const int step : {20, 30}) {
        fixture.clear();
        fixture.take_all(step, step);
        fixture.end_copies();
    }
    QCOMPARE(fixture.dropped(),
             (Dropped{{at_a, {blob(10), blob(11)}}, {at_b, {blob(10), blob(11)}}, {at_c, {blob(10)}}}));
}

void CheckpointsTest::blob_of_an_abandoned_recut_is_dropped_on_arrival() {
    CheckpointFixture fixture;
    Recutter recut;
    fixture.take_all(5, 10);
    fixture.end_copies();
    fixture.clear();
    QVERIFY(fixture.transfers.bring(blob(10), node_a, node_c, recut));
    fixture.context.append(TaskEnding{the_task, Outcome::stopped, {}, "stopped"});
    fixture.context.append(TaskEnded{the_task, Outcome::stopped, {}});
    fixture.checkpoints.poll();
    QVERIFY(!fixture.dropped().contains(at_c));  // the blob is still in transit
    fixture.end_copies();
    QCOMPARE(fixture.dropped()[at_c], std::set<std::string>{blob(10)});
}

void CheckpointsTest::end_of_a_task_drops_all_snapshots() {
    CheckpointFixture fixture(1);
    fixture.take_all(5, 10);
    fixture.take(0, 10, 20);
    fixture.clear();
    fixture.context.append(TaskEnding{the_task, Outcome::succeeded, {}, "all steps done"});
    fixture.checkpoints.poll();
    QCOMPARE(fixture.dropped(), (Dropped{{at_a, {blob(20)}}}));
    fixture.take(1, 10, 21);  // the snapshot was still in transit
    fixture.context.append(TaskEnded{the_task, Outcome::succeeded, {}});
    fixture.checkpoints.poll();
    QCOMPARE(fixture.dropped(), (Dropped{{at_a, {blob(10), blob(11), blob(20), blob(21)}}}));
    QVERIFY(!fixture.checkpoints.next_deadline());
}

void CheckpointsTest::restart_restores_only_committed_checkpoints() {
    CheckpointFixture fixture(1, {Every::steps, 5, 1});
    fixture.take_all(5, 10);
    fixture.take(0, 10, 20);
    Checkpoints after(fixture.context, fixture.transfers);
    fixture.context.follow([&](const Event& event) { after.follow(event); });
    fixture.clear();
    after.adopt();
    const auto take = [&](std::int32_t stage, std::int64_t step, int number) {
        fixture.say(after, PeerId(0), fixture.snapshot(stage, step, blob(number), 1, {}));
        after.poll();
    };
    take(1, 10, 21);
    QVERIFY(fixture.committed().empty());
    for (const std::int32_t stage : {0, 1}) take(stage, 15, 30 + stage);
    for (const auto& [node, asked] : fixture.copies())
        fixture.say(fixture.transfers, node, BlobFetched{asked.transfer, 1000, {}});
    after.poll();
    QCOMPARE(fixture.committed(), Steps{15});
    QCOMPARE(fixture.dropped(), (Dropped{{at_a, {blob(10), blob(11), blob(21)}}}));
}

/// After a restart, instances again report snapshots that had been given up before. Those snapshots may no longer
/// exist.
void CheckpointsTest::after_a_restart_the_only_node_is_asked_for_its_blobs() {
    CheckpointFixture fixture(1);
    Checkpoints after(fixture.context, fixture.transfers);
    fixture.context.follow([&](const Event& event) { after.follow(event); });
    after.adopt();
    const auto take_all = [&](std::int64_t step, int number) {
        fixture.clear();
        for (const std::int32_t stage : {0, 1})
            fixture.say(after, PeerId(0), fixture.snapshot(stage, step, blob(number + stage), 1, {}));
        after.poll();
        return fixture.copies();
    };
    const auto answer = [&](const std::pair<PeerId, FetchBlob>& asked, std::optional<Error> error = {}) {
        fixture.say(fixture.transfers, asked.first, BlobFetched{asked.second.transfer, 1000, std::move(error)});
        after.poll();
    };
    const auto gone = take_all(5, 10);
    QCOMPARE(gone.size(), std::size_t{2});
    QCOMPARE(gone[0].first, at_a);
    QCOMPARE(gone[0].second.endpoint, std::string("ipc:///m/a"));
    QVERIFY(fixture.committed().empty());
    answer(gone[0], Error{ErrorCode::not_found, "no such blob", "m/a", "bring it"});
    answer(gone[1]);
    QVERIFY(fixture.committed().empty());
    QCOMPARE(fixture.warnings().size(), std::size_t{1});
    const auto there = take_all(10, 20);
    QCOMPARE(there.size(), std::size_t{2});
    for (const auto& asked : there) answer(asked);
    QCOMPARE(fixture.committed(), Steps{10});
    QCOMPARE(fixture.task().checkpoints.at(0).parts[0].nodes, std::vector<NodeId>{node_a});
    QVERIFY(fixture.warnings().empty());
    // Checkpoints asks the node only for snapshots that an earlier orchestrator may have given up. It does not ask for
    // snapshots of the next generation.
    fixture.context.append(TaskRecovers{the_task, ++fixture.generation, 10, {}, "a fault"});
    for (const std::int32_t stage : {0, 1}) fixture.place(the_task, stage, node_a);
    fixture.context.append(PhaseChanged{the_task, TaskPhase::exchange, ""});
    QVERIFY(take_all(15, 30).empty());
    QCOMPARE(fixture.committed(), Steps{15});
}

DIVISI_TEST(CheckpointsTest)

}  // namespace checkpoints_test

#include "checkpoints_test.moc"
