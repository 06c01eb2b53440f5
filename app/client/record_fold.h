// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/client/record_codec.h"
#include "backend/control/protocol/signal_book.h"

namespace divisi::client {

/// Folds a sequence of mails, each stamped with its time, into what a client would have known of the cluster. Uses no
/// clock.
class RecordFold {
public:
    using Steady = std::chrono::steady_clock;

    /// Folds a mail that arrived `at` after the start.
    void take(Mail mail, Duration at);
    /// Sets where the start lies on the steady clock that views use for ages, and shifts all times of that clock
    /// accordingly.
    void rebase(Steady::time_point zero);
    /// Returns how long after the start `time` is.
    Duration since_begin(Steady::time_point time) const { return std::chrono::duration_cast<Duration>(time - zero_); }
    /// Drops all but the last measurement of each instance and node, and all step moments.
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
