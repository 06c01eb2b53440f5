// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>

#include "backend/base/clock.h"

namespace divisi::control::inline policy {

/// What the flows from one gateway to another have got by one of the two paths, in one second.
struct PathFigure {
    std::string name;        ///< "sr-2, sr-3": the routers on it
    double bytes_per_s = 0;  ///< of chunks that arrived behind it
    double busy = 0;         ///< share of the second in which chunks waited for it or were on it
};

/// Which share of a flow's tensors shall go by the first path from now on, in percent.
struct ShareMove {
    int from = 100, to = 100;
    std::string reason;
};

/// Moves traffic off a path that has become slow, and back when it is well again (the closed loop of draft 002, 4.4
/// phases 3 and 4) for the flows from one gateway to another. It mends and does not seek an optimum: shares that are
/// set stay until a path carries less than half of what it had carried for the same flows; it is then left wholly,
/// since a step waits for its last tensor. What slows down a path often changes again within seconds, so every decision
/// needs several reports, and every return costs more patience than the one before.
class PathBalance {
public:
    /// Every second: the figures of both paths, who sends, the share in force. What it wants to be moved.
    std::optional<ShareMove> report(const std::array<PathFigure, 2>& paths, const std::set<std::string>& flows,
                                    int share, TimePoint now);

    /// After a restart: this path was left, by which the share was no longer `home`.
    void resume(std::size_t slow, int home, TimePoint now);

    /// Bytes a second while the path was busy, as last known; 0: not at all.
    double rate(std::size_t path) const { return rates_[path].smoothed; }
    std::string state() const;

private:
    enum class State { settled, moved, trying };
    struct Rate {
        double smoothed = 0, best = 0;
        int samples = 0;
        int slow = 0;         ///< reports in a row in which it was slow
        double slow_sum = 0;  ///< of the rates in them
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
    std::size_t slow_ = 0;  ///< which path was left
    int home_ = 100;        ///< the share before
    double left_at_ = 0;    ///< what the path carried when it was left
    bool judged_ = false;   ///< the other path was measured since, and held against that
    std::optional<int> expected_;
    TimePoint changed_{}, retry_at_{};
    Duration patience_{};
};

// The constants of the hysteresis. Between leaving a path at one half and coming back at seven tenths lies what load
// and the scheduler of a busy machine move a rate by.
inline constexpr double slow_below = 0.5, well_above = 0.7;
/// A path that is idle for three quarters of the time holds nobody up, however slow it is. Not more: where tensors and
/// gradients take turns, each way is idle for half of the time at least.
inline constexpr double least_busy_to_move = 0.25;
/// Below that a second says little about a path: some chunks that came one by one.
inline constexpr double least_busy_to_measure = 0.05;
/// Seconds in a row: a burst of another task, or a checkpoint that is written, is shorter.
inline constexpr int reports_to_move = 3;
/// A change has to reach the devices, and what is queued on the old path to drain, before the next is judged.
inline constexpr Duration dwell = std::chrono::seconds(10);
/// Whether a path that was left is well again, only traffic on it can tell. A trial takes a tenth of the tensors for
/// some seconds, and those are slow if it is not.
inline constexpr Duration first_patience = std::chrono::seconds(30), longest_patience = std::chrono::minutes(8);
inline constexpr int trial_percent = 10;
inline constexpr Duration longest_trial = std::chrono::seconds(8);
/// A path that kept for so long may be tried again as if it had never been slow.
inline constexpr Duration forgiven_after = std::chrono::minutes(10);

}  // namespace divisi::control::inline policy
