// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "agents/instance/engine/listener.h"
#include "backend/control/agent/instance_life.h"
#include "backend/store/instance_rows.h"

namespace divisi::instance {

// Functions that make the rows of an instance's store that describe its life cycle.

/// Returns the row for an order from `from`; none for answers and heartbeats.
std::optional<store::OrderRow> order_of(const control::Message& message, const std::string& from, TimePoint now);
/// Returns the row for a change in the instance's life or for a problem; none for events that other rows contain
/// (steps, loads, orders).
std::optional<store::EventRow> event_of(const control::instance::Input& input, TimePoint now);
store::Deployment deployment_of(const control::Deploy& deploy, const control::Peers& peers, TimePoint now);

/// Mean times of each kind of operation, as measured. Thread-safe.
class OperationMeans {
public:
    void add(const OperationTimes& times);
    /// Returns the mean times since the instance began, under names such as "forward_ms".
    std::map<std::string, std::string> means() const;

private:
    struct Sum {
        Duration time{};
        std::int64_t count = 0;
    };
    mutable std::mutex mutex_;
    std::map<plan::OperationKind, Sum> sums_;
};

}  // namespace divisi::instance
