// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "agents/instance/engine.h"
#include "backend/control/agent/instance_life.h"
#include "backend/store/instance_rows.h"

namespace divisi::instance {

// What becomes of an instance, as rows of its store.

/// An order of `from`; none for answers and heartbeats.
std::optional<store::OrderRow> order_of(const control::Message& message, const std::string& from, TimePoint now);
/// Turns of its life, and trouble; none for what other rows tell (steps, loads, orders).
std::optional<store::EventRow> event_of(const control::instance::Input& input, TimePoint now);
store::Deployment deployment_of(const control::Deploy& deploy, const control::Peers& peers, TimePoint now);

/// Times of the operations of one kind, measured as they ran. Any thread may call.
class OperationMeans {
public:
    void add(const OperationTimes& times);
    /// "forward_ms" and so on, each the mean since the instance began.
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
