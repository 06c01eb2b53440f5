// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/types/alert_switch.h"
#include "backend/task/cluster_file.h"

namespace divisi::control::inline dispatch {

/// Minimum number of steps of a plan before a slow step can be recognised, and number of newest steps that give the
/// current step time.
inline constexpr std::size_t alert_least_steps = 20;
inline constexpr std::size_t alert_newest_steps = 5;
/// Time that a queue or disk must stay beyond its threshold before an alert is raised. A burst of tasks that start at
/// once is not a long queue.
inline constexpr Duration alert_hold = std::chrono::seconds(10);
/// Time for which losses must be finite again before their alert is cleared.
inline constexpr Duration alert_loss_calm = std::chrono::seconds(30);
/// Share of the exceeded threshold below which a value must fall before its alert is cleared.
inline constexpr double alert_calm_share = 0.8;
/// Interval between two checks of the rules.
inline constexpr Duration alert_interval = std::chrono::seconds(1);
/// The subject of alerts about the orchestrator's own disk.
inline constexpr const char* alert_orchestrator = "orchestrator";

/// Raises and clears each alert exactly once, by the rules of the cluster file. Raised alerts are part of the state,
/// so a restart neither raises them again nor forgets them. The duration of a bad reading is not part of the state. If
/// the problem keeps a task from continuing, the task fails and enters the exception queue. A loss alert stays raised
/// as long as the task's exception exists.
class Alerts {
public:
    explicit Alerts(OrchestratorContext& context) : context_(context) {}

    void set_rules(const task::AlertRules& rules) { rules_ = rules; }
    /// Sets the size and free space of the disk that holds the orchestrator's data folder; `disk` 0: unknown.
    void own_disk(Bytes disk, Bytes free) { own_ = {disk, free}; }
    void follow(const Event& event);
    /// Checks for non-finite losses immediately, before the failed task enters the exception queue.
    void settle();
    /// Checks all other rules. Called at each tick, but checks only once every alert_interval.
    void poll();

private:
    using Key = std::pair<AlertRule, std::string>;
    /// The current finding of a rule about one subject.
    struct Found {
        Alert alert;  ///< the alert to raise
        AlertReading reading = AlertReading::calm;
        Duration to_raise{}, to_clear{};
        std::string calm;  ///< the reason to give if the alert is cleared
    };
    struct Watch {
        AlertSwitch turn;
        double bound = 0;  ///< slow training only: the threshold at the start of the slowdown
    };
    /// The progress of a training task.
    struct Pace {
        std::int64_t step = -1;
        TimePoint since{};  ///< when that step was reached, in lived time
    };

    const Alert* standing(const Key& key) const;
    void weigh(Found found);
    void raise(Alert alert);
    void clear(const Alert& alert, const std::string& why);
    /// Clears alerts whose subject no longer exists.
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
    bool expects_losses(const TaskView& task);
    std::optional<double> now_ms(const TaskView& task);

    OrchestratorContext& context_;
    task::AlertRules rules_;
    std::map<Key, Watch> watches_;
    std::pair<Bytes, Bytes> own_{};
    std::map<TaskId, Pace> paces_;
    std::map<TaskId, Error> wrong_;  ///< non-finite losses of this step, one per task
    /// whether the loss rule applies to each task; it does not apply to batches, which may have no labels
    std::map<TaskId, bool> training_;
    std::optional<TimePoint> looked_;  ///< time of the last check, in lived time
};

}  // namespace divisi::control::inline dispatch
