// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "agents/instance/keeping/plan_cache.h"

namespace divisi::instance {

/// Prepares the next plan of a task in a process that runs an instance of the task. The plan is compiled and its
/// segment is built while the current plan still trains, so that later only tensors must be loaded. The plan and the
/// segment are put into the cache.
class NextPlan {
public:
    /// Callbacks, called on the thread of NextPlan.
    struct Events {
        std::function<void(control::PlanPrepared)> prepared;
        std::function<void(const Error&)> trouble;  ///< called if the segment could not be built ahead of time
    };
    NextPlan(PlanCache& plans, InstanceId instance, std::filesystem::path blobs, Events events);
    /// Waits for the preparation in progress.
    ~NextPlan() { join(); }
    NextPlan(const NextPlan&) = delete;
    NextPlan& operator=(const NextPlan&) = delete;

    /// Prepares a plan in the background. `deploy` and `plan` are the instance's current deployment and plan; a standby
    /// has no plan.
    void prepare(const control::PreparePlan& order, const control::Deploy& deploy,
                 std::shared_ptr<const task::CompiledPlan> plan);
    void join();

private:
    struct Current {
        control::Deploy deploy;
        std::shared_ptr<const task::CompiledPlan> plan;
    };
    Result<std::string> compile(const control::PreparePlan& order, const Current& current);
    Result<void> build_ahead(std::int32_t stage, const std::shared_ptr<const task::CompiledPlan>& plan,
                             const Current& current);

    PlanCache& plans_;
    InstanceId instance_;
    std::filesystem::path blobs_;
    Events events_;
    std::thread thread_;
};

}  // namespace divisi::instance
