// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "backend/control/desk.h"
#include "backend/control/models.h"
#include "backend/control/recut_advice.h"
#include "backend/control/recuts.h"

namespace divisi::control {

/// How often a task whose stages are not even is looked at.
inline constexpr Duration advice_interval = std::chrono::minutes(1);
/// Steps of a generation, and reports of each of its stages, before what they took says anything.
inline constexpr std::int64_t advised_steps = 20;
inline constexpr int advised_reports = 3;

/// Advises other cuts for tasks that train: from what their stages were measured to take in a step, the best cuts are
/// looked for beside the loop, and what they gain is held against what a re-cut costs. Each advice is an event with its
/// figures. It is followed where the task says so ([split] recut = "auto"), and then not too soon after the last
/// re-cut. Measurements are known here alone: a restarted orchestrator measures anew.
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
    void follow(const Event& event);

private:
    struct Busy {
        double share = 0;  ///< of the time, smoothed
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
        int agreeing = 0;                ///< advices in a row
    };

    Result<std::vector<double>> measured(const TaskView& task, const Care& care) const;
    Result<RecutFigures> figures(const TaskId& task) const;
    Result<void> begin(JobBook::Asked asked, const RecutFigures& figures);
    bool is_followed(const TaskView& task, RecutAdvised& advised, Care& care);

    Desk& desk_;
    const Models& models_;
    Recuts& recuts_;
    std::map<TaskId, Care> cares_;
};

}  // namespace divisi::control
