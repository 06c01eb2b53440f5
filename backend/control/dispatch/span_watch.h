// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <vector>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/types/span_types.h"

namespace divisi::control::inline dispatch {

/// Returns the interval in steps between two reports, if the fastest of the newest steps took `fastest_ms`. Steps that
/// are multiples of the interval are reported. The interval is the smallest power of two that leaves at least
/// span_interval between reports. Instances with different intervals therefore have some steps in common.
std::int64_t reported_every(double fastest_ms);

/// Forwards measured spans to watching clients. Tells the instances of watched tasks to report, and forwards the newest
/// report of each instance at every tick. Stores no reports.
class SpanWatch {
public:
    explicit SpanWatch(OrchestratorContext& context) : context_(context) {}

    void handle(const Received& received, const WatchSpans& message);
    void handle(const Received& received, const SpanReport& message);
    void peer_gone(PeerId peer) { wishes_.erase(peer); }
    /// Ends expired requests, orders reports and forwards them. Call at each tick.
    void poll();

private:
    /// The last order sent to an instance.
    struct Order {
        std::int64_t every = 0;
        TimePoint at{};  ///< time of the order, in lived time
    };

    bool watched(const TaskId& task) const;
    std::set<TaskId> watched_tasks() const;
    void order(const TaskView& task, std::map<InstanceId, Order>& orders);

    OrchestratorContext& context_;
    std::map<PeerId, std::map<TaskId, TimePoint>> wishes_;  ///< end of each request, in lived time
    std::map<InstanceId, Order> orders_;                    ///< last order sent to each instance of a watched task
    std::map<InstanceId, SpanPush> waiting_;                ///< reports for the next tick
};

}  // namespace divisi::control::inline dispatch
