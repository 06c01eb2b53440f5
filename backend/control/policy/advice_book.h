// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backend/control/placement/placement.h"
#include "backend/control/policy/policies.h"
#include "backend/control/types/module_types.h"

namespace divisi::control::inline policy {

/// Holds the advice that the orchestrator has accepted, with the resulting change and the step times before and after.
/// Reverts advice when its validity ends. Acts only through the policy and placement, within their bounds, and logs its
/// actions. All times are lived time (OrchestratorContext::lived()).
class AdviceBook {
public:
    AdviceBook(OrchestratorContext& context, const MeshDevices& devices, Policies& policies)
        : context_(context), devices_(devices), policies_(policies) {}

    /// Accepts or refuses advice. Returns the outcome, with the reason of a refusal.
    AdviceEcho consider(const std::string& module, std::uint64_t number, const Advice& advice);
    /// Reverts all valid advice of a module.
    void revoke(const std::string& module, const std::string& why);
    /// Advice that has expired, or whose effect was measured, since the last call. The module that gave it is notified.
    struct News {
        std::string module;
        AdviceEcho echo;
    };
    std::vector<News> poll();
    /// Collects step times of running tasks.
    void follow(const Event& event);

    /// Returns the nodes that placement is to avoid or drain.
    std::map<NodeId, NodeAdvice> nodes() const;
    std::optional<TimePoint> next_deadline() const;

private:
    struct Steps {
        double before_ms = 0;
        std::vector<double> after_ms;
    };
    struct Taken {
        std::string module;
        AdviceEcho echo;
        std::optional<std::int64_t> before;  ///< previous value of the policy entry, if there was one
        TimePoint taken{}, until{};
        std::map<TaskId, Steps> steps;
        bool measured = false;
    };

    Result<void> check(const std::string& module, const Advice& advice) const;
    Result<void> check_tasks(const std::string& module, const Advice& advice) const;
    Result<void> check_node(const Advice& advice) const;
    Taken* standing(const std::string& module, const Advice& advice);
    Result<std::string> act(Taken& taken, const Taken* renewed);
    void begin_steps(Taken& taken) const;
    bool measure(Taken& taken);
    void take_back(const Taken& taken, const std::string& why);
    void note(const std::string& module, const std::string& text) const;

    OrchestratorContext& context_;
    const MeshDevices& devices_;
    Policies& policies_;
    std::list<Taken> taken_;
    std::map<std::string, TimePoint> changed_;  ///< time of the last change by advice, by target
};

/// Minimum time between two changes of one target. Devices receive a change within milliseconds, and a step shows its
/// effect. The effect of faster changes cannot be judged.
inline constexpr Duration advice_dwell = std::chrono::seconds(3);
/// Maximum number of pieces of advice that are valid at a time, over all modules.
inline constexpr std::size_t most_taken_advice = 128;
/// Number of steps compared before and after a change to measure its effect, and the time that passes until a change
/// affects the steps.
inline constexpr std::size_t effect_steps = 8;
inline constexpr Duration effect_delay = std::chrono::seconds(1);

}  // namespace divisi::control::inline policy
