// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/queue/models.h"

namespace divisi::control::inline change {

/// Manages the model repository: each successful training makes a version, and so does each checkpoint that an operator
/// keeps. A version is part of the state. As long as the version exists, its task stays in the state and its weights
/// stay on the nodes. At most `most_versions` are kept.
class Versions {
public:
    Versions(OrchestratorContext& context, const Models& models) : context_(context), models_(models) {}

    /// After a restart, finds training tasks whose version is missing in the log.
    void adopt();
    void handle(const Received& received, const DropVersion& message);
    void handle(const Received& received, const KeepCheckpoint& message);
    void follow(const Event& event);
    /// Makes the versions of training tasks that ended in this step, and drops versions beyond the limits.
    void settle();

private:
    ModelVersion begun(const TaskView& task) const;
    ModelVersion version_of(const TaskView& task) const;
    Result<ModelVersion> version_of(const KeepCheckpoint& wanted) const;
    void keep_bounds();

    OrchestratorContext& context_;
    const Models& models_;
    std::vector<TaskId> ended_;  ///< successful training tasks that ended in this step
};

}  // namespace divisi::control::inline change
