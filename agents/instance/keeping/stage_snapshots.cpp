// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/stage_snapshots.h"

#include <utility>

namespace divisi::instance {

StageSnapshots::StageSnapshots(const SnapshotSteps::Run& run, const Clock& clock, Snapshots::Write write,
                               Snapshots::Report report) {
    const auto note = [this, report = std::move(report)](control::SnapshotTaken snapshot) {
        if (!snapshot.error) {
            const std::lock_guard lock(mutex_);
            durable_step_ = snapshot.step;
            durable_hash_ = snapshot.hash;
        }
        report(std::move(snapshot));
    };
    snapshots_ = std::make_unique<Snapshots>(run, clock, std::move(write), note);
}

std::string StageSnapshots::durable_after(std::int64_t step) const {
    const std::lock_guard lock(mutex_);
    return durable_step_ == step ? durable_hash_ : std::string();
}

}  // namespace divisi::instance
