// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>

#include "backend/base/clock.h"

namespace divisi::control::inline policy {

/// Throughput of the flows from one gateway to another on one of their two paths, in one second.
struct PathFigure {
    std::string name;        ///< names of the path's routers, "sr-2, sr-3"
    double bytes_per_s = 0;  ///< rate of chunks that reached the end of the path
    double busy = 0;         ///< share of the second in which chunks waited for the path or were under way on it
};

/// A change of the percentage of a flow's tensors that use the first path.
struct ShareMove {
    int from = 100, to = 100;
    std::string reason;
};

/// Moves the flows from one gateway to another away from a path that has become slow, and back when that path has
/// recovered. This class is the closed loop of draft 002, 4.4 phases 3 and 4.
///
/// It reacts to slow paths and does not seek an optimum. A share stays as set until a path carries less than half of
/// its earlier rate for the same flows. The path is then left completely, since a step waits for its slowest tensor.
///
/// The cause of a slowdown often changes again within seconds. Every decision therefore needs several reports, and
/// every return needs a longer wait than the previous return.
class PathBalance {
public:
    /// Evaluates one second's figures of both paths, the active flows and the current share. Returns the required
    /// change of the share, if any.
    std::optional<ShareMove> report(const std::array<PathFigure, 2>& paths, const std::set<std::string>& flows,
                                    int share, TimePoint now);

    /// Resumes after a restart, if flows had left the path `slow` before the restart. `home` is the share to restore.
    void resume(std::size_t slow, int home, TimePoint now);

    /// Returns the last known rate in bytes a second while the path was busy; 0: unknown.
    double rate(std::size_t path) const { return rates_[path].smoothed; }
    std::string state() const;

private:
    enum class State { settled, moved, trying };
    struct Rate {
        double smoothed = 0, best = 0;
        int samples = 0;
        int slow = 0;         ///< number of consecutive reports in which the path was slow
        double slow_sum = 0;  ///< sum of the rates in these reports
        double while_slow() const { return slow > 0 ? slow_sum / slow : smoothed; }
    };
    void forget();
    void take(std::size_t path, const PathFigure& figure);
    std::optional<ShareMove> settled(const std::array<PathFigure, 2>& paths, int share, TimePoint now);
    std::optional<ShareMove> moved(const std::array<PathFigure, 2>& paths, int share, TimePoint now);
    std::optional<ShareMove> trying(const std::array<PathFigure, 2>& paths, int share, TimePoint now);
    ShareMove go(State state, int from, int to, TimePoint now, std::string reason);
    ShareMove go_home(int share, TimePoint now, std::string reason);

    State state_ = State::settled;
    std::array<Rate, 2> rates_;
    std::set<std::string> flows_;
    std::size_t slow_ = 0;  ///< index of the path that the flows left
    int home_ = 100;        ///< share before the move
    double left_at_ = 0;    ///< rate of that path when the flows left it
    /// whether, since the move, the other path has been measured and compared with the path that the flows left
    bool judged_ = false;
    std::optional<int> expected_;
    TimePoint changed_{}, retry_at_{};
    Duration patience_{};
};

// Constants of the hysteresis. The gap between leaving a path (one half) and returning to it (seven tenths) covers
// changes of the rate. On a busy machine, load and the scheduler cause such changes.
inline constexpr double slow_below = 0.5, well_above = 0.7;
/// A path that is idle for three quarters of the time delays no tensors, even if the path is slow. A higher threshold
/// would be wrong: when tensors and gradients alternate, each direction is idle at least half of the time.
inline constexpr double least_busy_to_move = 0.25;
/// Below this share, one second of measurement says little about a path: only a few separate chunks arrived.
inline constexpr double least_busy_to_measure = 0.05;
/// Number of consecutive slow seconds before a move. A burst of another task, or the writing of a checkpoint, lasts a
/// shorter time.
inline constexpr int reports_to_move = 3;
/// Time after a change during which no other change is made: the devices must apply the change, and queues must drain.
inline constexpr Duration dwell = std::chrono::seconds(10);
/// Wait before a path that was left is tried again; doubles with each failed trial or further move. Only traffic shows
/// whether the path has recovered, so a trial sends a tenth of the tensors over the path for some seconds.
inline constexpr Duration first_patience = std::chrono::seconds(30), longest_patience = std::chrono::minutes(8);
inline constexpr int trial_percent = 10;
inline constexpr Duration longest_trial = std::chrono::seconds(8);
/// If no change was needed for this long, the next wait before a trial is first_patience again.
inline constexpr Duration forgiven_after = std::chrono::minutes(10);

}  // namespace divisi::control::inline policy
