// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string_view>

#include "backend/base/units.h"
#include "backend/control/types/json_lines.h"
#include "backend/process/command_line.h"

namespace divisi::ctl {
namespace {

bool errors_as_json = false;  // see print_errors_as_json()

/// Returns the number of characters, not of bytes, because names may contain UTF-8.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// Replaces characters that would control the terminal by '?', since names come from files and peers.
std::string printable(std::string text, std::string_view kept = {}) {
    for (char& c : text)
        if ((static_cast<unsigned char>(c) < 0x20 || c == 0x7f) && kept.find(c) == std::string_view::npos) c = '?';
    return text;
}

std::size_t terminal_width() {
    winsize size{};
    return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 100;
}

/// Returns the last `width` characters of a name; dots replace the part before them.
std::string tail_of(const std::string& text, std::size_t width) {
    constexpr std::string_view dots = "...";
    std::size_t left_out = width_of(text);
    if (left_out <= width) return text;
    left_out -= width - dots.size();
    std::size_t at = 0;
    for (; left_out > 0 && at < text.size(); --left_out) do
            ++at;
        while (at < text.size() && (text[at] & 0xC0) == 0x80);
    return std::string(dots) + text.substr(at);
}

}  // namespace

bool is_terminal() { return ::isatty(STDOUT_FILENO) == 1; }

void print_table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::string> names;
    std::vector<bool> right;
    std::vector<std::size_t> widths;
    for (const std::string& name : header) {
        right.push_back(name.starts_with('>'));
        names.push_back(right.back() ? name.substr(1) : name);
        widths.push_back(width_of(names.back()));
    }
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
    constexpr std::size_t least_room = 12;  // with less room, a name is unreadable
    std::size_t before = 0;
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) before += widths[i] + 2;
    const std::size_t room = std::max(least_room, terminal_width() - std::min(terminal_width(), before));
    const bool shortened = is_terminal() && !right.back() && widths.back() > room;
    const auto print = [&](const std::vector<std::string>& row) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string cell = shortened && i + 1 == widths.size() ? tail_of(row[i], room) : row[i];
            const std::string pad(widths[i] - width_of(cell), ' ');
            line += (i ? "  " : "") + (right[i] ? pad + cell : cell + pad);
        }
        line = printable(std::move(line));
        line.erase(line.find_last_not_of(' ') + 1);
        std::puts(line.c_str());
    };
    print(names);
    for (const auto& row : rows) print(row);
}

std::string counted(std::int64_t number, const char* what) {
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

int finish_output(int status) {
    if (status == output_unread || (std::fflush(stdout) == 0 && !std::ferror(stdout))) return status;
    print_error({ErrorCode::failed, "cannot be written", "standard output", "the printed output is incomplete"});
    return status == 0 ? 1 : status;
}

std::string error_line(const Error& error, bool json) {
    if (!json) return "error: " + printable(error.message(), "\n\t");
    nlohmann::ordered_json line = {{"id", nullptr},         {"args", error.args},   {"code", to_string(error.code)},
                                   {"message", error.what}, {"where", error.where}, {"hint", error.next}};
    if (!error.id.empty()) line["id"] = error.id;
    return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void print_errors_as_json(bool json) { errors_as_json = json; }

int print_error(const Error& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", error_line(error, errors_as_json).c_str());
    return process::exit_status(error);
}

std::string age(TimePoint now, TimePoint then) { return format_duration_ms(std::max(0.0, to_ms(now - then))); }

std::string clock_time(TimePoint time) {
    const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
    std::tm local{};
    ::localtime_r(&seconds, &local);
    char text[40];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
    return text;
}

void WaitingLine::draw() {
    const auto passed = std::chrono::steady_clock::now() - begin_;
    const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(passed).count();
    if (seconds == seconds_ || ::isatty(STDERR_FILENO) != 1) return;
    seconds_ = seconds;
    std::fprintf(stderr, "\r%s: %lld s", what_.c_str(), static_cast<long long>(seconds));
}

void WaitingLine::end() {
    if (seconds_ > 0) std::fputs("\r\033[K", stderr);
    seconds_ = 0;
}

ProgressLine::ProgressLine(std::int64_t steps, bool losses)
    : steps_(steps), losses_(losses), terminal_(is_terminal()) {}

void ProgressLine::step(const control::StepRecord& record) {
    last_ = record;
    mean_step_ms_ = mean_step_ms_ == 0 ? record.step_ms : 0.9 * mean_step_ms_ + 0.1 * record.step_ms;
    phase_.clear();
    if (terminal_ || record.step == 1 || passes_tenth(record.step, printed_) || record.step == steps_) draw();
}

bool ProgressLine::passes_tenth(std::int64_t step, std::int64_t told) const {
    const std::int64_t tenth = std::max<std::int64_t>(1, steps_ / 10);
    return step / tenth > told / tenth;
}

void ProgressLine::evaluated(const control::EvalRecord& record) {
    char text[80];
    std::snprintf(text, sizeof text, record.accuracy ? "  validation %s (%.1f %%)" : "  validation %s",
                  control::loss_text(record.loss).c_str(), record.accuracy.value_or(0) * 100);
    validation_ = text + control::heads_text(record.heads);
    if (terminal_) draw();
}

void ProgressLine::phase(const std::string& text) {
    phase_ = text;
    if (terminal_) draw();
    else std::printf("%s\n", text.c_str());
}

void ProgressLine::checkpointed(std::int64_t step, const std::string& text) {
    if (!terminal_ && checkpoint_ > 0 && !passes_tenth(step, checkpoint_)) return;
    checkpoint_ = step;
    if (terminal_) draw();
    else std::printf("%s\n", text.c_str());
    std::fflush(stdout);
}

void ProgressLine::goes_back(std::int64_t step, const std::string& text) {
    std::printf("%s%s\n", drawn_ ? "\r\033[K" : "", printable(text).c_str());
    std::fflush(stdout);
    drawn_ = false;
    last_.step = printed_ = step;
    checkpoint_ = std::min(checkpoint_, step);
}

void ProgressLine::warning(const std::string& text) {
    if (drawn_) std::printf("\r\033[K");
    std::fflush(stdout);
    std::fprintf(stderr, "warning: %s\n", printable(text, "\n\t").c_str());
}

/// Returns a bar such as "[####....] " of at most `room` characters; empty if the bar would be too short to be useful.
std::string ProgressLine::bar(std::size_t room) const {
    constexpr std::size_t longest = 24, shortest = 6, frame = 3;
    if (room < shortest + frame) return {};
    const std::size_t width = std::min(longest, room - frame);
    const auto share = steps_ > 0 ? static_cast<double>(last_.step) / static_cast<double>(steps_) : 0.0;
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
    return "[" + std::string(filled, '#') + std::string(width - filled, '.') + "] ";
}

void ProgressLine::draw() {
    std::string line;
    if (!phase_.empty()) {
        line = phase_;
    } else {
        char text[200];
        const double left_ms = static_cast<double>(steps_ - last_.step) * mean_step_ms_;
        const std::string loss = losses_ ? "loss " + control::loss_text(last_.loss) + "  " : "";
        std::snprintf(text, sizeof text, "%lld/%lld  %s%.0f samples/s", static_cast<long long>(last_.step),
                      static_cast<long long>(steps_), loss.c_str(), last_.samples_per_s);
        line = text + control::heads_text(last_.heads) + validation_;
        if (checkpoint_ > 0) line += "  checkpoint " + std::to_string(checkpoint_);
        if (last_.step < steps_) line += "  " + format_duration_ms(left_ms) + " left";
        line = bar(terminal_ ? terminal_width() - 1 - std::min(terminal_width() - 1, line.size()) : 100) + line;
    }
    printed_ = last_.step;
    if (terminal_) {
        const std::size_t width = terminal_width();
        if (line.size() > width - 1) line.resize(width - 1);
        std::printf("\r\033[K%s", line.c_str());
        drawn_ = true;
    } else {
        std::printf("%s\n", line.c_str());
    }
    std::fflush(stdout);
}

void ProgressLine::end() {
    if (terminal_ && drawn_) std::printf("\n");
    std::fflush(stdout);
}

}  // namespace divisi::ctl
