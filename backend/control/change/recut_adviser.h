// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "backend/control/change/recuts.h"
#include "backend/control/core/orchestrator_context.h"
#include "backend/control/protocol/recut_cause.h"
#include "backend/control/queue/models.h"
#include "backend/control/types/recut_advice.h"

namespace divisi::control::inline change {

/// Interval of searches for a task with unbalanced stages.
inline constexpr Duration advice_interval = std::chrono::minutes(1);
/// Minimum number of steps of a generation, and of reports from each of its stages, before the measurements are used.
inline constexpr std::int64_t advised_steps = 20;
inline constexpr int advised_reports = 3;

/// Advises new cuts for training tasks. A job outside the main loop searches for the best cuts, using the measured
/// computing time of each stage. The adviser compares the gain of these cuts with the cost of a re-cut.
///
/// Each piece of advice becomes an event that contains its figures. The task follows the advice if its file says
/// [split] recut = "auto", but not too soon after the last re-cut.
///
/// Module advice, a new policy, a stalled chain or a degraded path starts a search immediately, even if the stages are
/// balanced: see RecutCauses. Measurements and causes are only in memory, so a restarted orchestrator measures again.
class RecutAdviser {
public:
    RecutAdviser(OrchestratorContext& context, const Models& models, Recuts& recuts)
        : context_(context), models_(models), recuts_(recuts) {}

    /// Records the newest loads of instances.
    void take(const std::vector<InstanceLoad>& loads);
    void handle(const Received& received, const AskRecutAdvice& message);
    /// Handles the result of a search, from a job whose JobBook::Asked::advised is the task.
    void tried(const JobBook::Asked& asked, const Result<RecutTrial>& trial);
    /// Starts a search for tasks that are due. Call at each tick.
    void poll();
    /// Follows events. A new policy causes a search. Policies that a module made are reported by module_advised()
    /// instead.
    void follow(const Event& event);

    // These functions report causes for a search. Causes affect only measured tasks, since other tasks have no plan to
    // compare with.
    /// Reports that a module's advice was accepted. `without`: tasks for which the module is off.
    void module_advised(const std::string& module, const Advice& advice, const std::vector<TaskId>& without);
    /// Reports that the MIC of a gateway found a stalled chain of the task. Until the task completes its next step,
    /// load reports do not reflect a step's time and are ignored.
    void chain_stalled(const TaskId& task, const std::string& gateway, const std::string& what);
    /// Reports a degraded link that carried tensors of the task. `ends`: the names of the link's ends.
    void path_degraded(const TaskId& task, const std::string& ends, const std::string& what);

private:
    struct Busy {
        double share = 0;       ///< smoothed share of the time spent computing
        double moving = 0;      ///< value of `share` at the first report of the newest step
        std::int64_t step = 0;  ///< step of the latest report
        int reports = 0;
    };
    /// The state kept for a training task. Times are in lived time.
    struct Care {
        std::map<InstanceId, Busy> busy;
        TimePoint due{};                 ///< time of the task's next search
        TimePoint since{};               ///< time when the task's plan took effect
        std::optional<TimePoint> begun;  ///< time when a re-cut took effect; empty after the new plan's first step
        std::optional<double> stall_ms;  ///< stall of the task's last re-cut
        std::vector<std::string> cuts;   ///< cuts of the last advice, if the advice was worthwhile
        int agreeing = 0;                ///< number of equal pieces of advice in a row, at least advice_interval apart
        TimePoint counted{};             ///< start of the last search that `agreeing` counts
        TimePoint looked{};              ///< start of the last search
        bool looks = false;              ///< whether a search is running
        std::string because;             ///< cause of the running search; empty: the search was due by time
        RecutCauses causes;              ///< causes for another search
        TimePoint woken{};               ///< earliest time of another search with a cause
        /// whether a cause led to advice that will be followed: search even if the stages are balanced
        bool pursued = false;
        bool stands = false;  ///< whether a chain has stalled since the task's last step
    };

    Result<std::vector<double>> measured(const TaskView& task, const Care& care) const;
    Result<RecutFigures> figures(const TaskId& task) const;
    Result<void> begin(JobBook::Asked asked, const RecutFigures& figures);
    void look_at(const TaskId& task, Care& care);
    std::string end_look(const TaskId& task);
    bool try_follow(const TaskView& task, RecutAdvised& advised, Care& care, bool woken);
    static void count(const RecutAdvice& advice, Care& care);
    void wake(const TaskId& task, const RecutCause& cause);
    void wake(const PolicyVersion& policy);

    OrchestratorContext& context_;
    const Models& models_;
    Recuts& recuts_;
    std::map<TaskId, Care> cares_;
};

}  // namespace divisi::control::inline change
