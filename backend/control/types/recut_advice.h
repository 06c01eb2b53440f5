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
    double step_ms = 0;              ///< median of its last steps
    std::vector<double> busy_ms;     ///< measured computing time of each stage in one step
    double before_ms = 0;            ///< predicted step of the plan in force, at prices that match `busy_ms`
    double after_ms = 0;             ///< predicted step of the best cuts
    std::optional<double> stall_ms;  ///< stall of its last re-cut; none: it was never re-cut
    std::int64_t steps_left = 0;
};

struct RecutAdvice {
    TaskId task;
    std::string plan;                ///< hash of the plan in force
    std::vector<std::string> cuts;   ///< the best cuts found; empty: those in force
    double step_ms = 0;              ///< measured
    double imbalance = 0;            ///< measured: the busiest stage over the mean; 1: balanced
    double gain_ms = 0;              ///< predicted for each step
    double stall_ms = 0;             ///< cost of the re-cut
    bool stall_measured = false;     ///< true: as in the last re-cut; false: predicted
    std::int64_t payback_steps = 0;  ///< steps until the gain makes up for the stall; 0: never
    std::int64_t steps_left = 0;
    bool worth = false;
    std::string why;  ///< reason for the verdict
    bool operator==(const RecutAdvice&) const = default;
};

/// Minimum gain as a share of a step. A smaller gain is within the error of predictions.
inline constexpr double least_gain_share = 0.1;
/// Imbalance below which stages count as balanced, so that no search begins without a cause.
inline constexpr double even_enough = 1.15;
/// Minimum time from any re-cut to the next one without a request.
inline constexpr Duration recut_pause = std::chrono::minutes(5);
/// Number of identical pieces of advice in a row before the advice is followed without a request.
inline constexpr int agreeing_advices = 2;

/// Returns the busiest stage over the mean; 1 if there is nothing to compare.
double imbalance(const std::vector<double>& busy_ms);
/// Returns the predicted stall of a task's first re-cut: new processes start and load, and the steps since the
/// checkpoint are repeated.
double predicted_stall_ms(double step_ms);
/// Returns the figures and the verdict. `cuts`: the best cuts found; empty if those in force are the best. The caller
/// sets the task and its plan.
RecutAdvice advise(const RecutFigures& figures, std::vector<std::string> cuts);
/// Returns why advice is not followed now without a request; none if it is. `agreeing`: how often in a row the advice
/// was the same.
std::optional<std::string> held_back(const RecutAdvice& advice, Duration since_last, int agreeing);
/// Returns the figures and the verdict as one line, in this form: "the busiest stage has 150 % of the mean; cut after
/// /a a step of 50 ms would take 10 ms (20 %) less, ...: it pays"
std::string advice_text(const RecutAdvice& advice);

// --- messages ----------------------------------------------------------------------------------

/// Sent by clients to learn what other cuts would gain. Changes nothing. Answered by RecutAdvised or Refused.
struct AskRecutAdvice {
    TaskId task;
};

// --- events, and the answer to the message -----------------------------------------------------

struct RecutAdvised {
    RecutAdvice advice;
    bool followed = false;  ///< the task is re-cut so, as its [split] recut = "auto" says
    std::string held_back;  ///< why worthwhile advice is not followed; empty if the task does not want it followed
};

// --- a job outside the loop ----------------------------------------------------------------------

/// The result of a search for other cuts.
struct RecutTrial {
    double before_ms = 0, after_ms = 0;  ///< as RecutFigures has them
    std::vector<std::string> cuts;       ///< empty: those in force are the best
};

}  // namespace divisi::control::inline types
