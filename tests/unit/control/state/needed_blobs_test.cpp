// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/needed_blobs.h"

#include "tests/support/test_program.h"

namespace needed_blobs_test {

using namespace divisi::control;
using divisi::InstanceId;
using divisi::TaskId;

/// Tests which blobs a node must keep when it frees space.
class NeededBlobsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void blobs_that_can_still_be_read_are_needed() {
        ClusterState state;
        std::uint64_t sequence = 0;
        const auto tell = [&](Event::Body body) { apply(state, {++sequence, {}, std::move(body)}); };
        for (const char* name : {"waits", "held", "runs", "done"}) {
            const std::string of = std::string("-") + name;
            tell(TaskSubmitted{
                TaskId(name), name, "", "", "", {{"data", "/d", "data" + of}, {"weights", "/w", "file" + of}}});
            tell(PhaseChanged{TaskId(name), TaskPhase::queued, ""});
        }
        tell(TaskHeld{TaskId("held"), true});
        tell(PhaseChanged{TaskId("runs"), TaskPhase::exchange, ""});
        tell(WeightsStored{TaskId("done"), InstanceId("done/stage-0/0"), 9, "trained-done", "/t"});
        tell(TaskEnded{TaskId("done"), Outcome::succeeded, {}});
        const std::vector<std::string> asked = {"nobody's",  "data-waits", "data-held", "data-runs",
                                                "data-done", "file-waits", "file-done", "trained-done"};
        // A trained model is exported from its weights. If some weights were not trained, its original weights are also
        // needed.
        QCOMPARE(needed_blobs(state, asked), (std::vector<std::string>{"data-waits", "data-held", "data-runs",
                                                                       "file-waits", "file-done", "trained-done"}));
        QVERIFY(needed_blobs({}, asked).empty());
        QCOMPARE(needed_blobs({}, asked, {"data-done", "unasked"}), std::vector<std::string>{"data-done"});
    }
    void checkpoints_are_needed_until_they_are_dropped() {
        ClusterState state;
        const TaskId task("t-1");
        std::uint64_t sequence = 0;
        const auto tell = [&](Event::Body body) { apply(state, {++sequence, {}, std::move(body)}); };
        const std::vector<std::string> asked = {"first", "second", "third"};
        tell(TaskSubmitted{task, "t"});
        TaskPlanned planned{task};
        planned.checkpoint.keep = 2;
        tell(planned);
        for (std::int64_t i = 0; i < 3; ++i)
            tell(CheckpointCommitted{task, {1, i + 1, {}, {{{}, 0, asked[static_cast<std::size_t>(i)]}}}});
        QCOMPARE(needed_blobs(state, asked), (std::vector<std::string>{"second", "third"}));
        tell(TaskRecovers{task, 2, 2});
        QCOMPARE(needed_blobs(state, asked), std::vector<std::string>{"second"});
        tell(TaskEnded{task, Outcome::succeeded, {}});
        QVERIFY(needed_blobs(state, asked).empty());
    }
};

DIVISI_TEST(NeededBlobsTest)

}  // namespace needed_blobs_test

#include "needed_blobs_test.moc"
