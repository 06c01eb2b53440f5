// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backend/base/clock.h"
#include "backend/base/ids.h"

namespace divisi::control::inline types {

// Alerts: what a rule of the cluster file ([alerts]) finds wrong, from when it was raised until it was cleared.

enum class AlertRule : std::uint8_t {
    slow_training = 1,
    node_silent = 2,
    queue_long = 3,
    disk_short = 4,
    loss_not_finite = 5,
};
/// "slow training".
const char* to_string(AlertRule rule);

struct Alert {
    std::uint64_t number = 0;  ///< of the event that raised it
    AlertRule rule = AlertRule::slow_training;
    std::string subject;  ///< what is wrong: a task, a node, "queue" or "orchestrator"
    TaskId task;          ///< that it concerns; empty: none
    NodeId node;          ///< likewise
    TimePoint raised{};
    double value = 0, bound = 0;  ///< what was measured, and what the rule allows: ms, seconds, tasks or bytes
    std::string what;
    std::string next;     ///< what to do
    TimePoint cleared{};  ///< TimePoint{}: it stands
    std::string why;      ///< it was cleared

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
