// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/queue/models.h"

namespace divisi::control::inline change {

/// The model repository: each training that ends with success makes a version, and so does each checkpoint that an
/// operator keeps. A version is in the state and pins its task there, and with it the weights on the nodes. At most
/// `most_versions` are kept.
class Versions {
public:
    Versions(Desk& desk, const Models& models) : desk_(desk), models_(models) {}

    /// After a restart: trainings whose version the log does not have.
    void adopt();
    void handle(const Received& received, const DropVersion& message);
    void handle(const Received& received, const KeepCheckpoint& message);
    void follow(const Event& event);
    /// Makes the versions of what has ended in this step, and lets go of what is too many.
    void settle();

private:
    ModelVersion begun(const TaskView& task) const;
    ModelVersion version_of(const TaskView& task) const;
    Result<ModelVersion> version_of(const KeepCheckpoint& wanted) const;
    void keep_bounds();

    Desk& desk_;
    const Models& models_;
    std::vector<TaskId> ended_;  ///< trainings, with success, in this step
};

}  // namespace divisi::control::inline change
