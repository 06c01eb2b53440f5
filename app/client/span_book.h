// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "backend/control/types/span_types.h"

namespace divisi::client {

/// Operations that are kept of all tasks together, the newest: some 20 MB, an hour of steps of a hundred operations.
inline constexpr std::size_t most_kept_spans = 400'000;
/// Reports that wait for the GUI; it takes them twelve times a second.
inline constexpr std::size_t most_waiting_spans = 256;

/// What instances reported of one step of a task.
struct MeasuredStep {
    Generation generation = 1;
    std::int64_t step = 0;
    TimePoint begin{};  ///< of the first instance, by the orchestrator's clock
    std::map<InstanceId, control::SpanPush> instances;
};

/// The measured steps that came, oldest first.
class SpanBook {
public:
    void take(const control::SpanPush& push);
    /// So many reports were dropped before they came here.
    void lose(std::uint64_t reports) { lost_ += reports; }
    /// Forgets tasks that `known` does not have.
    template <typename Known>
    void keep_only(const Known& known) {
        for (auto task = tasks_.begin(); task != tasks_.end();) {
            const auto one = task++;
            if (!known.contains(one->first)) forget(one);
        }
    }

    /// The step to show at a moment: of the last few of a task that had begun by then the one that most instances have
    /// reported, the newest of several. Null where there is none.
    const MeasuredStep* at(const TaskId& task, TimePoint moment) const;
    /// The step of that number, of several generations that did it the newest. Null where it is not kept.
    const MeasuredStep* step(const TaskId& task, std::int64_t number) const;
    /// Numbers of the steps that are kept of a task, ascending, each once.
    std::vector<std::int64_t> steps(const TaskId& task) const;
    /// Reports that were dropped on their way, in instances, the orchestrator or this program.
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

/// Adds a report to those that wait. An older one of the same instance, or else the oldest, makes room where there is
/// none; how many went is added to `lost`.
void add_spans(std::vector<control::SpanPush>& waiting, std::uint64_t& lost, control::SpanPush push);

}  // namespace divisi::client
