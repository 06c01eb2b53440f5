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

/// Prints rows under a header in aligned columns. A column whose header begins with '>' is right-aligned. Control
/// characters are shown as '?'. On a terminal, a name in the last column that would exceed the width is shown without
/// its beginning.
void print_table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows);
/// Returns the line that reports an error: "error: where: what; next", or as JSON an object with its id, arguments,
/// class, message, location and hint. The id is null if the error has only its texts.
std::string error_line(const Error& error, bool json);
/// Prints error_line() on standard error, so that standard output holds only the result of the command. Returns the
/// exit status for the error: 2 if the user has to change something (a file, a value, a name), else 1.
int print_error(const Error& error);
/// Sets the form in which this process prints errors: as JSON, or as text, which is the default.
void print_errors_as_json(bool json);
/// Returns the exit status of a command that ends with `status`: a failure if its output could not be written.
int finish_output(int status);
/// Exit status of a command whose reader has closed standard output. It equals the status of a program killed by
/// SIGPIPE.
inline constexpr int output_unread = 141;
/// Advice about tasks that an earlier embedded cluster left in the queue.
inline constexpr const char* held_advice =
    "held tasks were still queued when an earlier cluster ended; start them with 'divisictl tasks release [TASK]', or "
    "stop them with 'divisictl tasks stop TASK'";
bool is_terminal();
/// Returns "1 stage" or "2 stages".
std::string counted(std::int64_t number, const char* what);
/// Returns "12 s" or "3 min", the time since `then`, for tables.
std::string age(TimePoint now, TimePoint then);
std::string clock_time(TimePoint time);

/// Shows on a terminal's standard error how long a search has been running, once a person would notice the delay.
class WaitingLine {
public:
    explicit WaitingLine(std::string what) : what_(std::move(what)) {}
    ~WaitingLine() { end(); }
    WaitingLine(const WaitingLine&) = delete;
    WaitingLine& operator=(const WaitingLine&) = delete;
    void draw();
    /// Removes the line.
    void end();

private:
    std::string what_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::int64_t seconds_ = 0;  ///< number of seconds shown in the line
};

/// A line that shows a task's progress. On a terminal it is rewritten in place; elsewhere it is printed at every tenth
/// of the steps.
class ProgressLine {
public:
    /// `steps`: 0 while their number is unknown; `losses`: whether steps have a loss.
    explicit ProgressLine(std::int64_t steps, bool losses = true);
    void takes(std::int64_t steps) { steps_ = steps; }
    void step(const control::StepRecord& record);
    void evaluated(const control::EvalRecord& record);
    void phase(const std::string& text);
    /// Shows the newest checkpoint in the line on a terminal. Elsewhere prints `text`, at most at every tenth of the
    /// steps.
    void checkpointed(std::int64_t step, const std::string& text);
    /// Prints a separate line; progress then restarts after `step`.
    void goes_back(std::int64_t step, const std::string& text);
    /// Prints a separate line on standard error.
    void warning(const std::string& text);
    /// Leaves the current line on the terminal and starts a new line.
    void end();

private:
    std::string bar(std::size_t room) const;
    void draw();
    /// Returns whether a multiple of a tenth of all steps lies between the steps `told` (excluded) and `step`.
    bool passes_tenth(std::int64_t step, std::int64_t told) const;

    std::int64_t steps_;
    bool losses_;
    control::StepRecord last_;
    double mean_step_ms_ = 0;  ///< exponentially smoothed; used to estimate the remaining time
    std::string validation_;
    std::string phase_;
    bool terminal_;
    bool drawn_ = false;
    std::int64_t printed_ = 0;
    std::int64_t checkpoint_ = 0;  ///< the newest checkpoint that was shown; 0: none
};

}  // namespace divisi::ctl
