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

/// Which steps of a training end with a snapshot: every so many, and those that are ordered. Never the last, after
/// which the weights are stored anyway.
class SnapshotSteps {
public:
    struct Run {
        std::int64_t first = 1, last = 1;  ///< steps of the run
        std::int64_t every = 0;            ///< a snapshot after each multiple; 0: only where one is ordered
    };
    explicit SnapshotSteps(const Run& run) : run_(run), passed_(run.first - 1) {}

    /// `conflict` where the step has ended without a snapshot, or is not before the run's last. One that was taken, or
    /// is due anyway, is not taken twice.
    Result<void> order(std::int64_t step);
    /// This step has ended; whether it ends with a snapshot. Steps end in ascending order.
    bool take(std::int64_t step);

private:
    bool is_due(std::int64_t step) const { return run_.every > 0 && step % run_.every == 0; }

    Run run_;
    std::int64_t passed_;
    std::optional<std::int64_t> taken_;  ///< the last
    std::set<std::int64_t> ordered_;     ///< that have not ended
};

/// Takes the snapshots of a stage. Training waits for the copy alone; a thread of this class makes it durable. While
/// one is written at most one waits: where the disk does not follow, the older gives way to the newer.
class Snapshots {
public:
    using Tensors = std::vector<store::NamedTensor>;
    struct Written {
        std::string hash;
        Bytes size = 0;
    };
    /// A copy of all that later steps depend on.
    using Take = std::function<Result<Tensors>()>;
    /// Makes a step's tensors durable, on the thread of this class.
    using Write = std::function<Result<Written>(std::int64_t step, const Tensors& tensors)>;
    /// Told of every snapshot that was due or ordered, once, on any thread: task, instance and generation are left
    /// empty, and `error` says why there is none.
    using Report = std::function<void(control::SnapshotTaken)>;

    Snapshots(const SnapshotSteps::Run& run, const Clock& clock, Write write, Report report);
    /// What is being written is finished, and told; what waits is left out.
    ~Snapshots();
    Snapshots(const Snapshots&) = delete;

    /// At the end of this step; any thread.
    void order(std::int64_t step);
    /// On the thread that trains, between two steps.
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
    SnapshotSteps steps_;  ///< behind the mutex, as what follows
    std::optional<Snapshot> waiting_;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace divisi::instance
