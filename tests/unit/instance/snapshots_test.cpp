// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/snapshots.h"

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>

#include "tests/support/test_program.h"

namespace snapshots_test {

using namespace divisi;
using namespace divisi::instance;
using control::SnapshotTaken;

namespace {

class HandClock final : public Clock {
public:
    TimePoint now() const override { return TimePoint(Duration(now_)); }
    void pass(std::int64_t ms) { now_ += ms * 1'000'000; }

private:
    std::atomic<std::int64_t> now_ = 0;
};

/// Collects reports in order.
class Told {
public:
    Snapshots::Report port() {
        return [this](SnapshotTaken snapshot) {
            const std::lock_guard lock(mutex_);
            told_.push_back(std::move(snapshot));
            come_.notify_all();
        };
    }
    /// Waits until `count` reports have arrived in all.
    std::vector<SnapshotTaken> await(std::size_t count) {
        std::unique_lock lock(mutex_);
        come_.wait(lock, [&] { return told_.size() >= count; });
        return told_;
    }
    std::vector<SnapshotTaken> now() { return await(0); }

private:
    std::mutex mutex_;
    std::condition_variable come_;
    std::vector<SnapshotTaken> told_;
};

/// A disk that blocks until it is released.
class Disk {
public:
    Snapshots::Write port() {
        return [this](std::int64_t step, const Snapshots::Tensors&) -> Result<Snapshots::Written> {
            if (step == first_) {
                begun_.set_value();
                free_.get_future().wait();
            }
            return Snapshots::Written{std::to_string(step), 8};
        };
    }
    explicit Disk(std::int64_t first) : first_(first) {}
    void await_first() { begun_.get_future().wait(); }
    void let_go() { free_.set_value(); }

private:
    std::int64_t first_;
    std::promise<void> begun_, free_;
};

Result<Snapshots::Tensors> nothing() { return Snapshots::Tensors{}; }

Result<Snapshots::Written> quick(std::int64_t step, const Snapshots::Tensors&) {
    return Snapshots::Written{std::to_string(step), 8};
}

}  // namespace

/// Checks when a stage's snapshots are taken, and that training never waits for the disk.
class SnapshotsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void snapshots_are_taken_by_rule_and_by_order();
    void snapshot_cannot_be_ordered_for_a_finished_step();
    void times_and_tensors_are_reported();
    void failure_is_reported_and_training_continues();
    void slow_disk_holds_two_snapshots_at_most();
    void pending_write_is_finished_at_the_end();
};

void SnapshotsTest::snapshots_are_taken_by_rule_and_by_order() {
    SnapshotSteps steps({7, 20, 5});
    QVERIFY(steps.order(12).ok());
    QVERIFY(steps.order(15).ok());
    QVERIFY(steps.order(12).ok());
    std::vector<std::int64_t> taken;
    for (std::int64_t step = 7; step <= 20; ++step)
        if (steps.take(step)) taken.push_back(step);
    QCOMPARE(taken, (std::vector<std::int64_t>{10, 12, 15}));  // no snapshot after the last step
    SnapshotSteps never({1, 20, 0});
    for (std::int64_t step = 1; step <= 20; ++step) QVERIFY(!never.take(step));
}

void SnapshotsTest::snapshot_cannot_be_ordered_for_a_finished_step() {
    SnapshotSteps steps({6, 20, 5});
    QCOMPARE(steps.order(5).error().code, ErrorCode::conflict);  // a step of an earlier run
    QVERIFY(steps.order(8).ok());
    for (std::int64_t step = 6; step <= 12; ++step) (void)steps.take(step);
    QVERIFY(steps.order(8).error().message().find("step 12") != std::string::npos);
    QVERIFY(steps.order(10).ok());  // a snapshot of this step exists
    QCOMPARE(steps.order(11).error().code, ErrorCode::conflict);
    QVERIFY(steps.order(13).ok() && steps.take(13) && steps.order(13).ok());
    QCOMPARE(steps.order(20).error().code, ErrorCode::conflict);
    QCOMPARE(steps.order(21).error().code, ErrorCode::conflict);
}

void SnapshotsTest::times_and_tensors_are_reported() {
    HandClock clock;
    Told told;
    const Snapshots::Write write = [&](std::int64_t step, const Snapshots::Tensors& tensors) {
        clock.pass(30);
        return Result(Snapshots::Written{tensors.at(0).name + " " + std::to_string(step), 12});
    };
    Snapshots snapshots({1, 100, 2}, clock, write, told.port());
    int copies = 0;
    const Snapshots::Take take = [&]() -> Result<Snapshots::Tensors> {
        ++copies;
        clock.pass(7);
        return Snapshots::Tensors{{"w", {}}};
    };
    snapshots.step_ended(1, take);
    QCOMPARE(copies, 0);
    snapshots.step_ended(2, take);
    const auto one = told.await(1);
    QCOMPARE(copies, 1);
    QCOMPARE(one[0].step, std::int64_t{2});
    QCOMPARE(one[0].hash, std::string("w 2"));
    QCOMPARE(one[0].size, Bytes{12});
    QCOMPARE(one[0].copy_ms, 7.0);
    QCOMPARE(one[0].write_ms, 30.0);
    QVERIFY(!one[0].error);
}

void SnapshotsTest::failure_is_reported_and_training_continues() {
    const HandClock clock;
    Told told;
    const Snapshots::Write write = [](std::int64_t step, const Snapshots::Tensors&) -> Result<Snapshots::Written> {
        if (step == 2) throw std::runtime_error("of a library");
        if (step == 3) return Error{ErrorCode::exhausted, "the disk is full", "", ""};
        return Snapshots::Written{"hash", 1};
    };
    Snapshots snapshots({1, 100, 1}, clock, write, told.port());
    snapshots.step_ended(1, []() -> Result<Snapshots::Tensors> {
        return Error{ErrorCode::exhausted, "no memory", "", ""};
    });
    for (std::size_t step = 2; step <= 4; ++step) {
        snapshots.step_ended(static_cast<std::int64_t>(step), nothing);
        (void)told.await(step);
    }
    snapshots.order(3);
    snapshots.order(100);
    const auto all = told.await(5);
    QCOMPARE(all[0].error->what, std::string("no memory"));
    QCOMPARE(all[1].error->what, std::string("of a library"));
    QCOMPARE(all[2].error->what, std::string("the disk is full"));
    QVERIFY(!all[3].error && all[3].hash == "hash");
    QCOMPARE(all[4].step, std::int64_t{100});
    QCOMPARE(all[4].error->code, ErrorCode::conflict);
}

void SnapshotsTest::slow_disk_holds_two_snapshots_at_most() {
    const HandClock clock;
    Told told;
    Disk disk(1);
    Snapshots snapshots({1, 100, 1}, clock, disk.port(), told.port());
    snapshots.step_ended(1, nothing);
    disk.await_first();
    snapshots.step_ended(2, nothing);
    QVERIFY(told.now().empty());
    snapshots.step_ended(3, nothing);
    snapshots.step_ended(4, nothing);
    const auto given_up = told.now();
    QCOMPARE(given_up.size(), std::size_t{2});
    for (std::size_t i = 0; i < 2; ++i) {
        QCOMPARE(given_up[i].step, static_cast<std::int64_t>(i) + 2);
        QCOMPARE(given_up[i].error->code, ErrorCode::exhausted);
        QVERIFY(given_up[i].hash.empty());
    }
    disk.let_go();
    const auto all = told.await(4);
    QCOMPARE(all[2].hash, std::string("1"));
    QCOMPARE(all[3].hash, std::string("4"));
}

void SnapshotsTest::pending_write_is_finished_at_the_end() {
    const HandClock clock;
    Told told;
    Disk disk(1);
    auto snapshots = std::make_unique<Snapshots>(SnapshotSteps::Run{1, 100, 1}, clock, disk.port(), told.port());
    snapshots->step_ended(1, nothing);
    disk.await_first();
    std::thread ending([&] { snapshots.reset(); });
    disk.let_go();
    ending.join();
    QCOMPARE(told.now().size(), std::size_t{1});
    QCOMPARE(told.now()[0].hash, std::string("1"));
    const Snapshots idle({1, 100, 1}, clock, quick, told.port());  // ends although no snapshot was ever due
}

DIVISI_TEST(SnapshotsTest)

}  // namespace snapshots_test

#include "snapshots_test.moc"
