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

/// Advises new cuts for training tasks. A job outside the main loop searches for the best cuts, from the measured step
/// time of each stage. Their gain is compared with the cost of a re-cut.
///
/// Each advice is an event with its figures. It is followed if the task says so ([split] recut = "auto"), but not too
/// soon after the last re-cut.
///
/// Module advice, a new policy, a stalled chain or a degraded path start a search at once, even if the stages are
/// balanced: see RecutCauses. Measurements and causes are only in memory, so a restarted orchestrator measures again.
class RecutAdviser {
public:
    RecutAdviser(OrchestratorContext& context, const Models& models, Recuts& recuts)
        : context_(context), models_(models), recuts_(recuts) {}

    /// Takes the newest loads of instances.
    void take(const std::vector<InstanceLoad>& loads);
    void handle(const Received& received, const AskRecutAdvice& message);
    /// Takes the result of a search, from a job whose JobBook::Asked::advised is the task.
    void tried(const JobBook::Asked& asked, const Result<RecutTrial>& trial);
    /// Starts a search for tasks that are due. Call at each tick.
    void poll();
    /// Follows events. A new policy is a cause to search, unless a module made it: module_advised() reports that.
    void follow(const Event& event);

    // Functions that report causes for a search. They affect only measured tasks, since other tasks have no plan to
    // compare with.
    /// Reports that a module's advice was taken. `without`: tasks for which the module is off.
    void module_advised(const std::string& module, const Advice& advice, const std::vector<TaskId>& without);
    /// Reports that the MIC of a gateway found a stalled chain of the task. Until the next step, load reports do not
    /// reflect the time of a step and are ignored.
    void chain_stalled(const TaskId& task, const std::string& gateway, const std::string& what);
    /// Reports a degraded link that carried tensors of the task. `ends`: the names of its ends.
    void path_degraded(const TaskId& task, const std::string& ends, const std::string& what);

private:
    struct Busy {
        double share = 0;       ///< smoothed share of the time spent computing
        double moving = 0;      ///< `share` at the first report of the newest step
        std::int64_t step = 0;  ///< step of the latest report
        int reports = 0;
    };
    /// The state kept for a training task. Times are in lived time.
    struct Care {
        std::map<InstanceId, Busy> busy;
        TimePoint due{};                 ///< time of its next search
        TimePoint since{};               ///< time when its plan took force
        std::optional<TimePoint> begun;  ///< time when a re-cut took force, until its first step
        std::optional<double> stall_ms;  ///< stall of its last re-cut
        std::vector<std::string> cuts;   ///< cuts of the last advice, if it was worthwhile
        int agreeing = 0;                ///< equal pieces of advice in a row, at least `advice_interval` apart
        TimePoint counted{};             ///< start of the search counted last
        TimePoint looked{};              ///< start of the last search
        bool looks = false;              ///< a search is running
        std::string because;             ///< cause of the running search; empty: it was due
        RecutCauses causes;              ///< causes for another search
        TimePoint woken{};               ///< earliest time of another search with a cause
        bool pursued = false;  ///< a cause led to advice that is to be followed: search even if stages are balanced
        bool stands = false;   ///< a chain has stalled since its last step
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
