// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/stage_snapshots.h"

#include <future>

#include "tests/support/test_program.h"

namespace stage_snapshots_test {

using namespace divisi;
using namespace divisi::instance;

namespace {

class HandClock final : public Clock {
public:
    TimePoint now() const override { return {}; }
};

/// Takes a snapshot after step 2 and waits until it is reported.
std::unique_ptr<StageSnapshots> snapshots_after_step_2(const Clock& clock, const Result<Snapshots::Written>& written) {
    std::promise<void> reported;
    auto snapshots = std::make_unique<StageSnapshots>(
        SnapshotSteps::Run{1, 9, 2}, clock, [&](std::int64_t, const Snapshots::Tensors&) { return written; },
        [&](const control::SnapshotTaken&) { reported.set_value(); });
    snapshots->step_ended(1, [] { return Result(Snapshots::Tensors()); });
    snapshots->step_ended(2, [] { return Result(Snapshots::Tensors()); });
    reported.get_future().wait();
    snapshots->finish();
    return snapshots;
}

}  // namespace

class StageSnapshotsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void durable_snapshot_is_returned_only_for_its_own_step();
    void snapshot_that_failed_is_not_durable();
};

void StageSnapshotsTest::durable_snapshot_is_returned_only_for_its_own_step() {
    const HandClock clock;
    const auto snapshots = snapshots_after_step_2(clock, Snapshots::Written{"hash", 7});
    QCOMPARE(snapshots->durable_after(2), std::string("hash"));
    QVERIFY(snapshots->durable_after(1).empty());
    QVERIFY(snapshots->durable_after(0).empty());
}

void StageSnapshotsTest::snapshot_that_failed_is_not_durable() {
    const HandClock clock;
    const auto snapshots = snapshots_after_step_2(clock, Error{ErrorCode::exhausted, "the disk is full", "", ""});
    QVERIFY(snapshots->durable_after(2).empty());
}

DIVISI_TEST(StageSnapshotsTest)

}  // namespace stage_snapshots_test

#include "stage_snapshots_test.moc"
