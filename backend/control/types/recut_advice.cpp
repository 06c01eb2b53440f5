// SPDX-License-Identifier: Apache-2.0
#include "backend/control/types/recut_advice.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "backend/base/units.h"

namespace divisi::control::inline types {
namespace {

constexpr double process_start_ms = 2000;  ///< time for instances to start and load their segments
constexpr double steps_again = 3;          ///< steps that a re-cut is assumed to repeat

std::string percent(double share) { return std::to_string(std::lround(share * 100)) + " %"; }

double gain_share(const RecutAdvice& advice) { return advice.step_ms > 0 ? advice.gain_ms / advice.step_ms : 0; }

std::string verdict(const RecutAdvice& advice) {
    if (advice.cuts.empty()) return "the cuts in force are the best that were found";
    if (gain_share(advice) < least_gain_share) return "the gain is below " + percent(least_gain_share) + " of a step";
    if (advice.payback_steps >= advice.steps_left) return "too few steps are left to compensate for the stall";
    return "";
}

}  // namespace

double imbalance(const std::vector<double>& busy_ms) {
    const double sum = std::accumulate(busy_ms.begin(), busy_ms.end(), 0.0);
    if (sum <= 0) return 1;
    return std::ranges::max(busy_ms) * static_cast<double>(busy_ms.size()) / sum;
}

double predicted_stall_ms(double step_ms) { return process_start_ms + steps_again * step_ms; }

RecutAdvice advise(const RecutFigures& figures, std::vector<std::string> cuts) {
    RecutAdvice advice;
    advice.cuts = std::move(cuts);
    advice.step_ms = figures.step_ms;
    advice.imbalance = imbalance(figures.busy_ms);
    advice.steps_left = std::max<std::int64_t>(figures.steps_left, 0);
    // Compares two predictions, since both have about the same error.
    if (figures.before_ms > 0 && figures.after_ms < figures.before_ms)
        advice.gain_ms = figures.step_ms * (1 - figures.after_ms / figures.before_ms);
    advice.stall_measured = figures.stall_ms.has_value();
    advice.stall_ms = figures.stall_ms.value_or(predicted_stall_ms(figures.step_ms));
    constexpr double most_steps = 1e15;
    if (advice.gain_ms > 0)
        advice.payback_steps =
            static_cast<std::int64_t>(std::clamp(std::ceil(advice.stall_ms / advice.gain_ms), 1.0, most_steps));
    advice.why = verdict(advice);
    advice.worth = advice.why.empty();
    if (advice.worth) advice.why = "it pays";
    return advice;
}

std::optional<std::string> held_back(const RecutAdvice& advice, Duration since_last, int agreeing) {
    if (!advice.worth) return advice.why;
    if (since_last < recut_pause)
        return "the plan in force is younger than " + std::to_string(recut_pause / std::chrono::minutes(1)) +
               " minutes";
    if (agreeing < agreeing_advices) return "the same advice must be given twice";
    return std::nullopt;
}

std::string advice_text(const RecutAdvice& advice) {
    std::string text =
        "the busiest stage does " + std::to_string(std::lround(advice.imbalance * 100)) + " % of the mean work; ";
    if (advice.cuts.empty()) return text + advice.why;
    std::string cuts;
    for (const std::string& cut : advice.cuts) cuts += (cuts.empty() ? "" : ", ") + cut;
    text += "cut after " + cuts + " a step of " + format_duration_ms(advice.step_ms) + " would take " +
            format_duration_ms(advice.gain_ms) + " (" + percent(gain_share(advice)) + ") less, a " +
            (advice.stall_measured ? "measured" : "predicted") + " stall of " + format_duration_ms(advice.stall_ms);
    if (advice.payback_steps > 0)
        text += " is compensated after " + std::to_string(advice.payback_steps) + " of " +
                std::to_string(advice.steps_left) + " steps";
    return text + ": " + advice.why;
}

}  // namespace divisi::control::inline types
