// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backend/base/clock.h"
#include "backend/base/ids.h"

namespace divisi::control::inline types {

// Alerts report problems found by the rules of the cluster file ([alerts]). An alert is raised and later cleared.

enum class AlertRule : std::uint8_t {
    slow_training = 1,
    node_silent = 2,
    queue_long = 3,
    disk_short = 4,
    loss_not_finite = 5,
};
/// Returns the readable name of the rule, for example "slow training".
const char* to_string(AlertRule rule);

struct Alert {
    std::uint64_t number = 0;  ///< number of the event that raised the alert
    AlertRule rule = AlertRule::slow_training;
    std::string subject;  ///< subject of the alert: a task, a node, "queue" or "orchestrator"
    TaskId task;          ///< affected task; empty: none
    NodeId node;          ///< affected node; empty: none
    TimePoint raised{};
    double value = 0, bound = 0;  ///< the measured value and the rule's threshold: ms, seconds, tasks or bytes
    std::string what;
    std::string next;     ///< what the operator should do next
    TimePoint cleared{};  ///< time at which the alert was cleared; TimePoint{}: not cleared yet
    std::string why;      ///< reason for clearing the alert

    bool stands() const { return cleared == TimePoint{}; }
    bool operator==(const Alert&) const = default;
};

// --- events ------------------------------------------------------------------------------------

struct AlertRaised {
    Alert alert;
};
struct AlertCleared {
    std::uint64_t number = 0;
    TaskId task;
    std::string why;
};

}  // namespace divisi::control::inline types
