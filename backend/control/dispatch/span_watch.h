// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <vector>

#include "backend/control/core/desk.h"

namespace divisi::control::inline dispatch {

/// Of steps whose newest took `fastest_ms` at best, those that are multiples of this are reported: a power of two, so
/// that instances that were told different ones have steps in common; the smallest that leaves span_interval between.
std::int64_t reported_every(double fastest_ms);

/// Measured spans for those who watch: tells the instances of watched tasks to report, and hands on what they report,
/// at ticks, of each instance the newest. Keeps nothing of it.
class SpanWatch {
public:
    explicit SpanWatch(Desk& desk) : desk_(desk) {}

    void handle(const Received& received, const WatchSpans& message);
    void handle(const Received& received, const SpanReport& message);
    void peer_gone(PeerId peer) { wishes_.erase(peer); }
    /// At ticks.
    void look();

private:
    /// What an instance was told last.
    struct Order {
        std::int64_t every = 0;
        TimePoint at{};  ///< in lived time
    };

    bool watched(const TaskId& task) const;
    std::set<TaskId> watched_tasks() const;
    void order(const TaskView& task, std::map<InstanceId, Order>& orders);

    Desk& desk_;
    std::map<PeerId, std::map<TaskId, TimePoint>> wishes_;  ///< until when, in lived time
    std::map<InstanceId, Order> orders_;                    ///< of watched tasks
    std::map<InstanceId, SpanPush> waiting_;                ///< for the next tick
};

}  // namespace divisi::control::inline dispatch
