// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "agents/instance/keeping/snapshots.h"

namespace divisi::instance {

/// Takes the snapshots of a training stage, and records the last durable one.
class StageSnapshots {
public:
    StageSnapshots(const SnapshotSteps::Run& run, const Clock& clock, Snapshots::Write write, Snapshots::Report report);

    /// See Snapshots. order() is thread-safe.
    void order(std::int64_t step) { snapshots_->order(step); }
    void step_ended(std::int64_t step, const Snapshots::Take& take) { snapshots_->step_ended(step, take); }
    /// Finishes and reports the snapshot being written; drops the waiting one. Takes no more snapshots.
    void finish() { snapshots_.reset(); }
    /// Returns the hash of the last durable snapshot if it belongs to this step; empty otherwise. Thread-safe.
    std::string durable_after(std::int64_t step) const;

private:
    mutable std::mutex mutex_;
    std::int64_t durable_step_ = 0;  ///< guarded by the mutex, as is the hash
    std::string durable_hash_;
    std::unique_ptr<Snapshots> snapshots_;  ///< declared last, because its thread uses the members above
};

}  // namespace divisi::instance
