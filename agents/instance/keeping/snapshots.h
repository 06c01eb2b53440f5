// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/units.h"
#include "backend/control/types/checkpoint_types.h"
#include "backend/store/tensor_file.h"

namespace divisi::instance {

/// Decides which steps of a training end with a snapshot: the multiples of a number, and the ordered steps. The last
/// step never ends with a snapshot, because the weights are stored after it anyway.
class SnapshotSteps {
public:
    struct Run {
        std::int64_t first = 1, last = 1;  ///< first and last step of the run
        std::int64_t every = 0;            ///< a snapshot after each multiple; 0: only ordered snapshots
    };
    explicit SnapshotSteps(const Run& run) : run_(run), passed_(run.first - 1) {}

    /// Orders a snapshot at the end of a step. Fails with `conflict` if the step has already ended without a snapshot,
    /// or is not before the run's last step. Does nothing if the snapshot was already taken, or is due as a multiple of
    /// `every`.
    Result<void> order(std::int64_t step);
    /// Records that this step has ended; returns whether to take a snapshot. Steps must end in ascending order.
    bool take(std::int64_t step);

private:
    bool is_due(std::int64_t step) const { return run_.every > 0 && step % run_.every == 0; }

    Run run_;
    std::int64_t passed_;
    std::optional<std::int64_t> taken_;  ///< the last step with a snapshot
    std::set<std::int64_t> ordered_;     ///< ordered steps that have not ended
};

/// Takes the snapshots of a stage. Training waits only for the copy, which a separate thread makes durable. While a
/// snapshot is written, at most one other snapshot waits; if the disk is too slow, a newer snapshot replaces the
/// waiting one.
class Snapshots {
public:
    using Tensors = std::vector<store::NamedTensor>;
    struct Written {
        std::string hash;
        Bytes size = 0;
    };
    /// Returns a copy of the state that later steps depend on.
    using Take = std::function<Result<Tensors>()>;
    /// Makes a step's tensors durable, on the thread of this class.
    using Write = std::function<Result<Written>(std::int64_t step, const Tensors& tensors)>;
    /// Called once for every due or ordered snapshot that the destructor does not drop, on any thread. Task, instance
    /// and generation are left empty. If there is no snapshot, `error` says why.
    using Report = std::function<void(control::SnapshotTaken)>;

    Snapshots(const SnapshotSteps::Run& run, const Clock& clock, Write write, Report report);
    /// Finishes and reports the snapshot being written; drops the waiting one.
    ~Snapshots();
    Snapshots(const Snapshots&) = delete;

    /// Orders a snapshot at the end of this step. Thread-safe.
    void order(std::int64_t step);
    /// Called on the training thread between two steps.
    void step_ended(std::int64_t step, const Take& take);

private:
    struct Snapshot {
        control::SnapshotTaken told;
        Tensors tensors;
    };
    void refuse(control::SnapshotTaken told, Error error);
    void work();
    void write(Snapshot snapshot);

    const Clock& clock_;
    Write write_;
    Report report_;
    std::mutex mutex_;
    std::condition_variable wake_;
    SnapshotSteps steps_;  ///< steps with snapshots; guarded by the mutex, like the members below
    std::optional<Snapshot> waiting_;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace divisi::instance
