// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/snapshots.h"

#include <utility>

#include "agents/instance/keeping/guard.h"
#include "backend/process/background.h"

namespace divisi::instance {
namespace {

std::string name(std::int64_t step) { return "snapshot of step " + std::to_string(step); }

}  // namespace

Result<void> SnapshotSteps::order(std::int64_t step) {
    if (step >= run_.last)
        return Error{ErrorCode::conflict, "the training ends with step " + std::to_string(run_.last), name(step),
                     "use the weights that are stored at that step"};
    if (step > passed_) {
        ordered_.insert(step);
        return {};
    }
    const bool taken = taken_ == step || (step >= run_.first && is_due(step));
    if (taken) return {};
    return Error{ErrorCode::conflict, "the step has ended, and also step " + std::to_string(passed_), name(step),
                 "order the snapshot for a later step"};
}

bool SnapshotSteps::take(std::int64_t step) {
    passed_ = step;
    const bool ordered = ordered_.erase(step) > 0;
    if (step >= run_.last || !(ordered || is_due(step))) return false;
    taken_ = step;
    return true;
}

Snapshots::Snapshots(const SnapshotSteps::Run& run, const Clock& clock, Write write, Report report)
    : clock_(clock), write_(std::move(write)), report_(std::move(report)), steps_(run), thread_([this] { work(); }) {}

Snapshots::~Snapshots() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
        wake_.notify_one();
    }
    thread_.join();
}

void Snapshots::order(std::int64_t step) {
    const auto ordered = [&] {
        const std::lock_guard lock(mutex_);
        return steps_.order(step);
    }();
    if (ordered) return;
    control::SnapshotTaken none;
    none.step = step;
    refuse(std::move(none), ordered.error());
}

void Snapshots::step_ended(std::int64_t step, const Take& take) {
    {
        const std::lock_guard lock(mutex_);
        if (!steps_.take(step)) return;
    }
    Snapshot next;
    next.told.step = step;
    const TimePoint begin = clock_.now();
    auto tensors = take();
    next.told.copy_ms = to_ms(clock_.now() - begin);
    if (!tensors) return refuse(std::move(next.told), tensors.error());
    next.tensors = std::move(tensors).value();
    std::optional<Snapshot> older;
    {
        const std::lock_guard lock(mutex_);
        older = std::exchange(waiting_, std::move(next));
        wake_.notify_one();
    }
    if (!older) return;
    refuse(std::move(older->told),
           {ErrorCode::exhausted,
            "the disk is too slow: this snapshot was not written before the snapshot of step " + std::to_string(step) +
                " was taken",
            name(older->told.step), "take snapshots less often ([checkpoint] every), or give the node a faster disk"});
}

void Snapshots::refuse(control::SnapshotTaken told, Error error) {
    told.error = std::move(error);
    report_(std::move(told));
}

void Snapshots::work() {
    process::work_in_background();
    for (;;) {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return ending_ || waiting_; });
        if (ending_) return;
        Snapshot next = *std::exchange(waiting_, std::nullopt);
        lock.unlock();
        write(std::move(next));
    }
}

void Snapshots::write(Snapshot snapshot) {
    const std::int64_t step = snapshot.told.step;
    const TimePoint begin = clock_.now();
    const auto written = guard(name(step), [&] { return write_(step, snapshot.tensors); });
    snapshot.told.write_ms = to_ms(clock_.now() - begin);
    if (!written) return refuse(std::move(snapshot.told), written.error());
    snapshot.told.hash = written->hash;
    snapshot.told.size = written->size;
    report_(std::move(snapshot.told));
}

}  // namespace divisi::instance
