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

/// What a client would have known of the cluster: mails that are folded one after the other, each stamped with its
/// time. Knows no clock.
class RecordFold {
public:
    using Steady = std::chrono::steady_clock;

    /// Folds what came `at` after the begin.
    void take(Mail mail, Duration at);
    /// Says where the begin lies on the clock by which views count ages: moves all that is stamped with that clock.
    void rebase(Steady::time_point zero);
    /// How long after the begin that was.
    Duration since_begin(Steady::time_point time) const { return std::chrono::duration_cast<Duration>(time - zero_); }
    /// Keeps the last measurement of each instance and node only, and no moments of steps.
    void forget_older_loads();

    const ClusterData& data() const { return data_; }
    /// As last told; none before the first.
    const std::optional<Status>& status() const { return status_; }
    const std::optional<control::MeshState>& mesh() const { return mesh_; }
    /// When mesh() came, after the begin.
    Duration mesh_at() const { return mesh_at_; }
    const std::optional<control::PoliciesState>& policies() const { return policies_; }
    const std::optional<control::ModulesState>& modules() const { return modules_; }
    const control::SignalBook& signal_messages() const { return signals_; }
    /// Tasks that were submitted from the console that heard this, since the last call.
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
