// SPDX-License-Identifier: Apache-2.0
#include "backend/task/checkpoint_rule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "backend/task/error_texts.h"
#include "backend/task/suggest.h"
#include "backend/task/task_spec.h"

namespace divisi::task {
namespace {

constexpr std::int64_t most_interval_steps = 1'000'000'000;             // equals the limit on the steps of a training
constexpr std::int64_t most_interval_seconds = 10LL * 366 * 24 * 3600;  // equals the limit on the time of a training
constexpr std::int64_t most_kept = 100;    // a checkpoint is as large as the weights, or larger
constexpr std::size_t longest_shown = 64;  // characters of user input that a message quotes

constexpr std::array<std::pair<std::string_view, std::int64_t>, 3> seconds_of = {{{"s", 1}, {"min", 60}, {"h", 3600}}};

Error bad_interval(const ErrorText& text, const std::string& every) {
    return make_error(text, "checkpoint.every", {every.substr(0, longest_shown)});
}

/// Reads an interval: "5", "30s", "5min" or "2h".
Result<CheckpointRule> read_interval(const std::string& every) {
    CheckpointRule rule;
    const char* const end = every.data() + every.size();
    const auto [rest, error] = std::from_chars(every.data(), end, rule.count);
    const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
    const auto known = std::ranges::find(seconds_of, unit, &std::pair<std::string_view, std::int64_t>::first);
    if (error == std::errc::result_out_of_range)
        return bad_interval(error_text("checkpoint-interval-out-of-range"), every);
    if (error != std::errc() || (!unit.empty() && known == seconds_of.end()))
        return bad_interval(error_text("no-checkpoint-interval"), every);
    const std::int64_t factor = unit.empty() ? 1 : known->second;
    if (rule.count < 1 || rule.count > (unit.empty() ? most_interval_steps : most_interval_seconds) / factor)
        return bad_interval(error_text("checkpoint-interval-out-of-range"), every);
    rule.every = unit.empty() ? CheckpointRule::Every::steps : CheckpointRule::Every::seconds;
    rule.count *= factor;
    return rule;
}

}  // namespace

Result<CheckpointRule> checkpoint_rule(const CheckpointSection& section) {
    CheckpointRule rule;
    if (section.every == "auto") rule.every = CheckpointRule::Every::automatic;
    else if (section.every != "never") {
        DIVISI_ASSIGN(rule, read_interval(section.every));
    }
    if (section.keep < 1 || section.keep > most_kept)
        return make_error(error_text("out-of-range"), "checkpoint.keep",
                          {std::to_string(section.keep), "1", std::to_string(most_kept)});
    rule.keep = section.keep;
    return rule;
}

Result<FaultAnswer> fault_answer(const FaultsSection& section) {
    if (section.answer == "recover") return FaultAnswer::recover;
    if (section.answer == "fail") return FaultAnswer::fail;
    if (section.answer == "wait") return FaultAnswer::wait;
    return make_error(error_text("value-not-known"), "faults.answer",
                      {section.answer.substr(0, longest_shown), suggest(section.answer, {"recover", "wait", "fail"})});
}

}  // namespace divisi::task
