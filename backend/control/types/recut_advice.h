// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"

namespace divisi::control::inline types {

// Whether other cuts of a task that trains are worth what the change to them costs.

/// What is known of a task and of the best cuts that were found for it on its nodes.
struct RecutFigures {
    double step_ms = 0;              ///< of its last steps, their median
    std::vector<double> busy_ms;     ///< measured: computing, in one step, by stage
    double before_ms = 0;            ///< predicted step of the plan in force, with prices that agree with `busy_ms`
    double after_ms = 0;             ///< of the other
    std::optional<double> stall_ms;  ///< of its last re-cut; none: it was not re-cut yet
    std::int64_t steps_left = 0;
};

struct RecutAdvice {
    TaskId task;
    std::string plan;                ///< hash of the plan in force
    std::vector<std::string> cuts;   ///< the best that were found; empty: those in force
    double step_ms = 0;              ///< measured
    double imbalance = 0;            ///< the busiest stage over the mean, measured; 1: they are even
    double gain_ms = 0;              ///< predicted, of each step
    double stall_ms = 0;             ///< that the re-cut would cost
    bool stall_measured = false;     ///< as the last time; else it is predicted
    std::int64_t payback_steps = 0;  ///< until the stall is made up for; 0: never
    std::int64_t steps_left = 0;
    bool worth = false;
    std::string why;  ///< of this verdict
    bool operator==(const RecutAdvice&) const = default;
};

/// Of a step: what is gained with less is within what predictions miss by.
inline constexpr double least_gain_share = 0.1;
/// Stages that are this even are not looked at by themselves.
inline constexpr double even_enough = 1.15;
/// Between two re-cuts that nobody asked for, and after one that somebody asked for.
inline constexpr Duration recut_pause = std::chrono::minutes(5);
/// Advice that says the same, one after the other, before it is followed unasked.
inline constexpr int agreeing_advices = 2;

/// The busiest over the mean; 1 where there is nothing to compare.
double imbalance(const std::vector<double>& busy_ms);
/// Of a re-cut before any was measured: new processes come and load, and the steps since the checkpoint are done again.
double predicted_stall_ms(double step_ms);
/// The figures and the verdict. `cuts`: the best that were found, empty where those are in force; who it is about the
/// caller fills in.
RecutAdvice advise(const RecutFigures& figures, std::vector<std::string> cuts);
/// Why advice is not followed unasked now; none where it is. `agreeing`: how often in a row it said the same.
std::optional<std::string> held_back(const RecutAdvice& advice, Duration since_last, int agreeing);
/// "20 % of a step of 50 ms gained (cut after /a), a stall of 3 s made up for after 300 of 9000 steps: worth it"
std::string advice_text(const RecutAdvice& advice);

// --- messages ----------------------------------------------------------------------------------

/// From clients: what would other cuts gain? Changes nothing. Answered by RecutAdvised, or Refused.
struct AskRecutAdvice {
    TaskId task;
};

// --- events, and the answer to the message -----------------------------------------------------

struct RecutAdvised {
    RecutAdvice advice;
    bool followed = false;  ///< the task is re-cut so, as its [split] recut = "auto" says
    std::string held_back;  ///< why it is not though it is worth it; empty where nobody wants it to be
};

// --- a job beside the loop ---------------------------------------------------------------------

/// What came of looking for other cuts.
struct RecutTrial {
    double before_ms = 0, after_ms = 0;  ///< as RecutFigures has them
    std::vector<std::string> cuts;       ///< empty: those in force are the best
};

}  // namespace divisi::control::inline types
