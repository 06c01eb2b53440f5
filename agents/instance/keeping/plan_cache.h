// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "agents/instance/keeping/kept_segment.h"
#include "backend/control/protocol/message_fwd.h"
#include "backend/task/compile.h"

namespace divisi::instance {

/// The compiled plans of a process, and the segment that was built for the next plan. Thread-safe, because the worker
/// and the preparer of the next plan use it.
class PlanCache {
public:
    PlanCache(std::vector<KeptPlan> plans, std::optional<BuiltSegment> built)
        : plans_(std::move(plans)), built_(std::move(built)) {}

    /// Compiles each plan of a task once during the life of the process, even if the process runs several instances of
    /// the task.
    Result<std::shared_ptr<const task::CompiledPlan>> compiled(const control::Deploy& deploy);
    /// Removes the plans of aborted re-cuts and all older plans. Keeps only this deployment's plan.
    void forget_but(const control::Deploy& deploy);
    std::vector<KeptPlan> take_plans();

    void set_built(BuiltSegment built);
    std::optional<BuiltSegment> take_built();
    /// Returns the segment that was built ahead; null if no such segment fits the deployment. A segment that does not
    /// fit is dropped.
    std::unique_ptr<segment::Executor> take_built(const control::Deploy& deploy,
                                                  const std::shared_ptr<const task::CompiledPlan>& plan);

private:
    std::shared_ptr<const task::CompiledPlan> find(const control::Deploy& deploy);

    std::mutex mutex_;  ///< guards all members
    std::vector<KeptPlan> plans_;
    std::optional<BuiltSegment> built_;
};

}  // namespace divisi::instance
