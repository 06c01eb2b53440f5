// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/control/core/desk.h"
#include "backend/control/types/alert_switch.h"
#include "backend/task/alert_rules.h"

namespace divisi::control::inline dispatch {

/// Steps of a plan before a slow one can be told, and how many of the newest count as what a step takes now.
inline constexpr std::size_t alert_least_steps = 20;
inline constexpr std::size_t alert_newest_steps = 5;
/// How long a queue or a disk must be beyond its threshold: a batch of tasks that start at once is no long queue.
inline constexpr Duration alert_hold = std::chrono::seconds(10);
/// How long losses must be numbers again before that alert is cleared.
inline constexpr Duration alert_loss_calm = std::chrono::seconds(30);
/// What a value must come back to before its alert is cleared, as a part of its threshold: of one that is exceeded, ...
inline constexpr double alert_calm_share = 0.8;
/// ... and how often.
inline constexpr Duration alert_interval = std::chrono::seconds(1);
/// The subject of the orchestrator's own disk.
inline constexpr const char* alert_orchestrator = "orchestrator";

/// Raises alerts by the rules of the cluster file, each once, and clears each once. Alerts that stand are in the state,
/// so that a restart neither raises them again nor forgets them; since when something is bad is not. A task that will
/// not go on because of what is wrong fails, and so stands in the exception queue; an alert of a loss stands as long.
class Alerts {
public:
    explicit Alerts(Desk& desk) : desk_(desk) {}

    void set_rules(const task::AlertRules& rules) { rules_ = rules; }
    /// What the orchestrator's own data folder has; `disk` 0: not known.
    void own_disk(Bytes disk, Bytes free) { own_ = {disk, free}; }
    void follow(const Event& event);
    /// Losses that are no numbers, at once: before the exception that may follow.
    void settle();
    /// At ticks: all other rules, every alert_interval.
    void look();

private:
    using Key = std::pair<AlertRule, std::string>;
    /// What a rule finds of a subject now.
    struct Found {
        Alert alert;  ///< as it would be raised
        AlertReading reading = AlertReading::calm;
        Duration to_raise{}, to_clear{};
        std::string calm;  ///< why it would be cleared
    };
    struct Watch {
        AlertSwitch turn;
        double bound = 0;  ///< of slow training: as it was when it began
    };
    /// Of a task that trains.
    struct Pace {
        std::int64_t step = -1;
        TimePoint since{};  ///< when that was the last, in lived time
    };

    const Alert* standing(const Key& key) const;
    void weigh(Found found);
    void raise(Alert alert);
    void clear(const Alert& alert, const std::string& why);
    /// Alerts whose subject is gone.
    void clear_gone();
    std::string gone(const Alert& alert) const;

    void look_at_nodes();
    void look_at_queue();
    void look_at_disks();
    void look_at_disk(const std::string& subject, const NodeId& node, Bytes disk, Bytes free);
    void look_at_steps();
    void look_at_pace(const TaskView& task);
    void look_at_losses();
    void look_at_loss(const TaskView& task, const std::optional<Error>& wrong);
    bool has_losses(const TaskView& task);
    std::optional<double> now_ms(const TaskView& task);

    Desk& desk_;
    task::AlertRules rules_;
    std::map<Key, Watch> watches_;
    std::pair<Bytes, Bytes> own_{};
    std::map<TaskId, Pace> paces_;
    std::map<TaskId, Error> wrong_;    ///< losses of this step that are no numbers, the last of each task
    std::map<TaskId, bool> training_;  ///< whether its losses mean something: a batch has none without labels
    std::optional<TimePoint> looked_;  ///< in lived time
};

}  // namespace divisi::control::inline dispatch
