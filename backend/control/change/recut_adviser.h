// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "backend/control/change/recuts.h"
#include "backend/control/core/desk.h"
#include "backend/control/protocol/recut_cause.h"
#include "backend/control/queue/models.h"
#include "backend/control/types/recut_advice.h"

namespace divisi::control::inline change {

/// How often a task whose stages are not even is looked at.
inline constexpr Duration advice_interval = std::chrono::minutes(1);
/// Steps of a generation, and reports of each of its stages, before what they took says anything.
inline constexpr std::int64_t advised_steps = 20;
inline constexpr int advised_reports = 3;

/// Advises other cuts for tasks that train: from what their stages were measured to take in a step, the best cuts are
/// looked for beside the loop, and what they gain is held against what a re-cut costs. Each advice is an event with its
/// figures. It is followed where the task says so ([split] recut = "auto"), and then not too soon after the last
/// re-cut. What a module advises, a new policy, a stalled chain and a degraded path make it look at once, also where
/// stages are even: see RecutCauses. Measurements and causes are known here alone: a restarted orchestrator measures
/// anew.
class RecutAdviser {
public:
    RecutAdviser(Desk& desk, const Models& models, Recuts& recuts) : desk_(desk), models_(models), recuts_(recuts) {}

    /// The newest loads of instances.
    void take(const std::vector<InstanceLoad>& loads);
    void handle(const Received& received, const AskRecutAdvice& message);
    /// What came of looking, for a job whose JobBook::Asked::advised is the task.
    void tried(const JobBook::Asked& asked, const Result<RecutTrial>& trial);
    /// At each tick: tasks whose time has come.
    void look();
    /// New policies are causes to look, but not those by modules: these tell themselves.
    void follow(const Event& event);

    // Causes to look, of tasks that are measured; others have no plan to compare with.
    /// What a module advises was taken. `without`: tasks for which it is off.
    void module_advised(const std::string& module, const Advice& advice, const std::vector<TaskId>& without);
    /// The MIC of a gateway finds that a chain of the task stands. What instances report from then on to the next step
    /// says nothing of what a step takes.
    void chain_stalled(const TaskId& task, const std::string& gateway, const std::string& what);
    /// `ends`: of the link that tensors of the task went by.
    void path_degraded(const TaskId& task, const std::string& ends, const std::string& what);

private:
    struct Busy {
        double share = 0;       ///< of the time, smoothed
        double moving = 0;      ///< as `share` was at the last report of another step
        std::int64_t step = 0;  ///< of that
        int reports = 0;
    };
    /// Of a task that trains. Times are lived.
    struct Care {
        std::map<InstanceId, Busy> busy;
        TimePoint due{};                 ///< then it is looked at
        TimePoint since{};               ///< its plan is in force
        std::optional<TimePoint> begun;  ///< a re-cut took force, and has trained no step yet
        std::optional<double> stall_ms;  ///< of its last re-cut
        std::vector<std::string> cuts;   ///< that the last advice was worth
        int agreeing = 0;                ///< advices in a row, `advice_interval` apart
        TimePoint counted{};             ///< when the last of these was looked for
        TimePoint looked{};              ///< other cuts were looked for last
        bool looks = false;              ///< they are now
        std::string because;             ///< what made it look so; empty: its time had come
        RecutCauses causes;              ///< to look once more
        TimePoint woken{};               ///< not before this
        bool pursued = false;  ///< a cause led to advice that is to be followed: even stages are looked at too
        bool stands = false;   ///< a chain of it, since its last step
    };

    Result<std::vector<double>> measured(const TaskView& task, const Care& care) const;
    Result<RecutFigures> figures(const TaskId& task) const;
    Result<void> begin(JobBook::Asked asked, const RecutFigures& figures);
    void look_at(const TaskId& task, Care& care);
    std::string end_look(const TaskId& task);
    bool is_followed(const TaskView& task, RecutAdvised& advised, Care& care, bool woken);
    static void count(const RecutAdvice& advice, Care& care);
    void wake(const TaskId& task, const RecutCause& cause);
    void wake(const PolicyVersion& policy);

    Desk& desk_;
    const Models& models_;
    Recuts& recuts_;
    std::map<TaskId, Care> cares_;
};

}  // namespace divisi::control::inline change
