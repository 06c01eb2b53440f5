// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <vector>

#include "backend/control/core/orchestrator_context.h"

namespace divisi::control::inline dispatch {

/// Returns which steps to report if the fastest of the newest ones took `fastest_ms`: multiples of the result. The
/// result is a power of two, so that instances with different values have steps in common. It is the smallest that
/// leaves span_interval between reports.
std::int64_t reported_every(double fastest_ms);

/// Forwards measured spans to watching clients. Tells the instances of watched tasks to report, and forwards the newest
/// report of each instance at every tick. Keeps nothing.
class SpanWatch {
public:
    explicit SpanWatch(OrchestratorContext& context) : context_(context) {}

    void handle(const Received& received, const WatchSpans& message);
    void handle(const Received& received, const SpanReport& message);
    void peer_gone(PeerId peer) { wishes_.erase(peer); }
    /// Ends expired requests, orders reports and forwards them. Call at each tick.
    void poll();

private:
    /// The last order that an instance was given.
    struct Order {
        std::int64_t every = 0;
        TimePoint at{};  ///< in lived time
    };

    bool watched(const TaskId& task) const;
    std::set<TaskId> watched_tasks() const;
    void order(const TaskView& task, std::map<InstanceId, Order>& orders);

    OrchestratorContext& context_;
    std::map<PeerId, std::map<TaskId, TimePoint>> wishes_;  ///< end of each request, in lived time
    std::map<InstanceId, Order> orders_;                    ///< orders of watched tasks' instances
    std::map<InstanceId, SpanPush> waiting_;                ///< reports for the next tick
};

}  // namespace divisi::control::inline dispatch
