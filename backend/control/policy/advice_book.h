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
#include "backend/control/types/advice_bounds.h"
#include "backend/control/types/module_types.h"

namespace divisi::control::inline policy {

/// Advice that the orchestrator has taken, for as long as it holds: what it changed, what a step took before and after,
/// and taking it back when it is no longer valid. It acts through the policy and through placement alone, within their
/// bounds, and says in the log what it does. Times are lived.
class AdviceBook {
public:
    AdviceBook(Desk& desk, const MeshDevices& devices, Policies& policies)
        : desk_(desk), devices_(devices), policies_(policies) {}

    /// What became of it: taken, or refused with the reason.
    AdviceEcho consider(const std::string& module, std::uint64_t number, const Advice& advice);
    /// All that holds of a module is taken back.
    void revoke(const std::string& module, const std::string& why);
    /// What is no longer valid, and what has been measured since the last call: for the modules that advised it.
    struct News {
        std::string module;
        AdviceEcho echo;
    };
    std::vector<News> look();
    /// Steps of tasks that run.
    void follow(const Event& event);

    /// Nodes that placement is to avoid.
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
        std::optional<std::int64_t> before;  ///< the policy entry's value, if there was one
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

    Desk& desk_;
    const MeshDevices& devices_;
    Policies& policies_;
    std::list<Taken> taken_;
    std::map<std::string, TimePoint> changed_;  ///< by target, when advice last changed it
};

/// Devices hear of a change within milliseconds, and a step shows what it does; nobody can judge faster ones.
inline constexpr Duration advice_dwell = std::chrono::seconds(3);
/// That hold at a time, of all modules.
inline constexpr std::size_t most_taken_advice = 128;
/// Steps by which the effect is told, and how long the change takes to show in them.
inline constexpr std::size_t effect_steps = 8;
inline constexpr Duration effect_delay = std::chrono::seconds(1);

}  // namespace divisi::control::inline policy
