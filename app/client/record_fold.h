// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/client/record_codec.h"
#include "backend/control/protocol/mesh_messages.h"
#include "backend/control/protocol/policy_messages.h"
#include "backend/control/protocol/signal_book.h"
#include "backend/control/types/module_types.h"

namespace divisi::client {

/// Applies a sequence of mails, each with its time, to the state that a client would have known. Uses no clock.
class RecordFold {
public:
    using Steady = std::chrono::steady_clock;

    /// Applies a mail. `at` is the time of its arrival, counted from the start.
    void take(Mail mail, Duration at);
    /// Sets the start's time on the steady clock, from which views compute ages, and shifts all stored times of that
    /// clock accordingly.
    void rebase(Steady::time_point zero);
    /// Returns the time from the start to `time`.
    Duration since_begin(Steady::time_point time) const { return std::chrono::duration_cast<Duration>(time - zero_); }
    /// Drops all step times, and all measurements except the last one of each instance and node.
    void forget_older_loads();

    const ClusterData& data() const { return data_; }
    /// Returns the last reported status; empty before the first.
    const std::optional<Status>& status() const { return status_; }
    const std::optional<control::MeshState>& mesh() const { return mesh_; }
    /// Returns when mesh() arrived, counted from the start.
    Duration mesh_at() const { return mesh_at_; }
    const std::optional<control::PoliciesState>& policies() const { return policies_; }
    const std::optional<control::ModulesState>& modules() const { return modules_; }
    const control::SignalBook& signal_messages() const { return signals_; }
    /// Returns the tasks submitted from the recording console since the last call.
    std::vector<std::string> take_submitted() { return std::exchange(submitted_, {}); }

private:
    Steady::time_point zero_{};
    ClusterData data_;
    std::optional<Status> status_;
    std::optional<control::MeshState> mesh_;
    Duration mesh_at_{};
    std::optional<control::PoliciesState> policies_;
    std::optional<control::ModulesState> modules_;
    control::SignalBook signals_;
    std::vector<std::string> submitted_;
};

}  // namespace divisi::client
