// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "backend/base/result.h"
#include "backend/control/types/types.h"

namespace divisi::ctl {

/// Prints rows under a header in aligned columns; a column whose header begins with '>' is right-aligned.
/// Control characters in them are shown as '?'. On a terminal, names in the last column that would pass its edge are
/// shown by their ends.
void print_table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows);
/// "error: ..." on standard error; returns the exit status that belongs to it: 2 for what the user has to change (a
/// file, a value, a name), else 1.
int print_error(const Error& error);
/// The exit status of a command that ends with `status`: a failure where its output could not be written.
int finish_output(int status);
/// The exit status of a command whose output nobody reads any more, as of a program that SIGPIPE ended.
inline constexpr int output_unread = 141;
/// What to do with tasks that an earlier embedded cluster left in its queue.
inline constexpr const char* held_advice =
    "held tasks were left by a cluster that ended; start them with 'divisictl tasks release [TASK]', or give them up "
    "with 'divisictl tasks stop TASK'";
bool is_terminal();
/// "1 stage", "2 stages".
std::string counted(std::int64_t number, const char* what);
/// "12 s", "3 min": how long ago, for tables.
std::string age(TimePoint now, TimePoint then);
std::string clock_time(TimePoint time);

/// Says on a terminal's standard error for how long a search has been going on, once that takes a person's patience.
class WaitingLine {
public:
    explicit WaitingLine(std::string what) : what_(std::move(what)) {}
    ~WaitingLine() { end(); }
    WaitingLine(const WaitingLine&) = delete;
    WaitingLine& operator=(const WaitingLine&) = delete;
    void draw();
    /// Takes the line away.
    void end();

private:
    std::string what_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::int64_t seconds_ = 0;  ///< that are shown
};

/// One line that shows how far a task is; on a terminal it is rewritten in place, elsewhere it is printed at
/// every tenth of the way.
class ProgressLine {
public:
    /// `steps`: 0 as long as nobody knows; `losses`: whether steps have one.
    explicit ProgressLine(std::int64_t steps, bool losses = true);
    void takes(std::int64_t steps) { steps_ = steps; }
    void step(const control::StepRecord& record);
    void evaluated(const control::EvalRecord& record);
    void phase(const std::string& text);
    /// On a terminal the newest one stands in the line; elsewhere `text` is printed, at every tenth of the way.
    void checkpointed(std::int64_t step, const std::string& text);
    /// A line of its own; what follows begins again after `step`.
    void goes_back(std::int64_t step, const std::string& text);
    /// A line of its own on standard error.
    void warning(const std::string& text);
    /// Leaves the line as it is and goes to the next.
    void end();

private:
    std::string bar(std::size_t room) const;
    void draw();
    /// Whether the way to `step` has passed a tenth since `told`.
    bool passes_tenth(std::int64_t step, std::int64_t told) const;

    std::int64_t steps_;
    bool losses_;
    control::StepRecord last_;
    double mean_step_ms_ = 0;  ///< exponentially smoothed, for the remaining time
    std::string validation_;
    std::string phase_;
    bool terminal_;
    bool drawn_ = false;
    std::int64_t printed_ = 0;
    std::int64_t checkpoint_ = 0;  ///< the newest that was told; 0: none
};

}  // namespace divisi::ctl
