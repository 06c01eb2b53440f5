// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "backend/control/types/span_types.h"

namespace divisi::client {

/// Maximum number of operations kept for all tasks; the newest are kept. They take about 20 MB and cover an hour if
/// each step has a hundred operations.
inline constexpr std::size_t most_kept_spans = 400'000;
/// Maximum number of reports waiting for the GUI, which takes them twelve times a second.
inline constexpr std::size_t most_waiting_spans = 256;

/// The reports of all instances about one step of a task.
struct MeasuredStep {
    Generation generation = 1;
    std::int64_t step = 0;
    TimePoint begin{};  ///< time at which the first instance began the step, by the orchestrator's clock
    std::map<InstanceId, control::SpanPush> instances;
};

/// Keeps the measured steps that were received, oldest first.
class SpanBook {
public:
    void take(const control::SpanPush& push);
    /// Counts reports that were dropped before they reached this object.
    void lose(std::uint64_t reports) { lost_ += reports; }
    /// Removes tasks that are not in `known`.
    template <typename Known>
    void keep_only(const Known& known) {
        for (auto task = tasks_.begin(); task != tasks_.end();) {
            const auto one = task++;
            if (!known.contains(one->first)) forget(one);
        }
    }

    /// Returns the step to show at a time; null if there is none. Considers the last few steps of the task that had
    /// begun by then. Chooses the step that most instances have reported; if there are several such steps, the newest.
    const MeasuredStep* at(const TaskId& task, TimePoint moment) const;
    /// Returns the step with this number, from the newest generation that executed it; null if it is not kept.
    const MeasuredStep* step(const TaskId& task, std::int64_t number) const;
    /// Returns the numbers of a task's kept steps, ascending, without duplicates.
    std::vector<std::int64_t> steps(const TaskId& task) const;
    /// Returns the number of reports dropped in instances, the orchestrator or this program.
    std::uint64_t lost() const { return lost_; }
    std::size_t spans() const { return spans_; }

private:
    using Steps = std::map<std::pair<Generation, std::int64_t>, MeasuredStep>;
    using Tasks = std::map<TaskId, Steps>;

    void forget(Tasks::iterator task);
    void forget_oldest();

    Tasks tasks_;
    std::size_t spans_ = 0;
    std::uint64_t lost_ = 0;
};

/// Adds a report to the waiting reports. If there are too many, drops an older report of the same instance or, if there
/// is none, the oldest report. The number of dropped reports is added to `lost`.
void add_spans(std::vector<control::SpanPush>& waiting, std::uint64_t& lost, control::SpanPush push);

}  // namespace divisi::client
