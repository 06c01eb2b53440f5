// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"

namespace divisi::control::inline types {

// Decides whether new cuts for a training task are worth the cost of the change.

/// The figures of a task and of the best cuts found for its nodes.
struct RecutFigures {
    double step_ms = 0;              ///< median of the task's last steps
    std::vector<double> busy_ms;     ///< measured computing time of each stage in one step
    double before_ms = 0;            ///< predicted step time of the plan in force, at costs calibrated to `busy_ms`
    double after_ms = 0;             ///< predicted step time with the best cuts
    std::optional<double> stall_ms;  ///< stall of the task's last re-cut; none: no re-cut yet
    std::int64_t steps_left = 0;
};

struct RecutAdvice {
    TaskId task;
    std::string plan;                ///< hash of the plan in force
    std::vector<std::string> cuts;   ///< the best cuts found; empty: the current cuts
    double step_ms = 0;              ///< measured step time
    double imbalance = 0;            ///< measured time of the busiest stage divided by the mean; 1: balanced
    double gain_ms = 0;              ///< predicted gain of each step, in ms
    double stall_ms = 0;             ///< cost of the re-cut
    bool stall_measured = false;     ///< true: as in the last re-cut; false: predicted
    std::int64_t payback_steps = 0;  ///< steps until the gain compensates for the stall; 0: never
    std::int64_t steps_left = 0;
    bool worth = false;
    std::string why;  ///< reason for the verdict
    bool operator==(const RecutAdvice&) const = default;
};

/// Minimum gain as a share of a step. A smaller gain is within the error of predictions.
inline constexpr double least_gain_share = 0.1;
/// Imbalance below which stages count as balanced, so that no search begins without a cause.
inline constexpr double even_enough = 1.15;
/// Minimum time from any re-cut to the next automatic re-cut.
inline constexpr Duration recut_pause = std::chrono::minutes(5);
/// Number of identical pieces of advice in a row before the advice is followed without a request.
inline constexpr int agreeing_advices = 2;

/// Returns the time of the busiest stage divided by the mean; 1 if there is nothing to compare.
double imbalance(const std::vector<double>& busy_ms);
/// Returns the predicted stall of a task's first re-cut. Assumes that new processes start and load during the stall,
/// and that the steps since the checkpoint are repeated.
double predicted_stall_ms(double step_ms);
/// Returns the figures and the verdict. `cuts`: the best cuts found; empty if the current cuts are the best. The caller
/// sets the task and its plan.
RecutAdvice advise(const RecutFigures& figures, std::vector<std::string> cuts);
/// Returns why advice is not followed now without a request; none if it is followed. `agreeing`: number of identical
/// pieces of advice in a row.
std::optional<std::string> held_back(const RecutAdvice& advice, Duration since_last, int agreeing);
/// Returns the figures and the verdict as one line, in this form: "the busiest stage has 150 % of the mean; cut after
/// /a a step of 50 ms would take 10 ms (20 %) less, ...: it pays"
std::string advice_text(const RecutAdvice& advice);

// --- messages ----------------------------------------------------------------------------------

/// Sent by clients to learn the gain of other cuts. Changes nothing. Answered by RecutAdvised or Refused.
struct AskRecutAdvice {
    using Answer = struct RecutAdvised;
    TaskId task;
};

// --- events, and the answer to the message -----------------------------------------------------

struct RecutAdvised {
    RecutAdvice advice;
    bool followed = false;  ///< whether the task is re-cut with these cuts, as its [split] recut = "auto" says
    std::string held_back;  ///< why worthwhile advice is not followed; empty if the task file does not ask to follow it
};

// --- a job outside the loop ----------------------------------------------------------------------

/// The result of a search for other cuts.
struct RecutTrial {
    double before_ms = 0, after_ms = 0;  ///< predicted step times, as in RecutFigures
    std::vector<std::string> cuts;       ///< the best cuts; empty: the current cuts are the best
};

}  // namespace divisi::control::inline types
