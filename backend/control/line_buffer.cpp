// SPDX-License-Identifier: Apache-2.0
#include "backend/control/line_buffer.h"

#include <initializer_list>
#include <utility>

namespace divisi::control {

void LineBuffer::add(LogLine line, TimePoint now) {
    look(now);
    if (!since_) since_ = now;
    if (passed_ >= line_burst) {
        ++left_out_;
        return;
    }
    ++passed_;
    if (line.text.size() > longest_line) line.text.resize(longest_line);
    lines_.push_back(std::move(line));
    if (lines_.size() <= most_lines_kept) return;
    lines_.pop_front();
    ++left_out_;
}

LogLines LineBuffer::take(TimePoint now) {
    look(now);
    LogLines message;
    while (!lines_.empty() && message.lines.size() < lines_at_once) {
        message.lines.push_back(std::move(lines_.front()));
        lines_.pop_front();
    }
    if (unsaid_ == 0 || message.lines.size() == lines_at_once) return message;
    LogLine line;
    line.time = now;
    line.severity = Severity::warning;
    line.text = std::to_string(std::exchange(unsaid_, 0)) + " lines were left out";
    message.lines.push_back(std::move(line));
    return message;
}

/// What was left out is said once the interval is over.
void LineBuffer::look(TimePoint now) {
    if (!since_ || now - *since_ < line_interval) return;
    since_.reset();
    passed_ = 0;
    unsaid_ += std::exchange(left_out_, 0);
}

Severity severity_of_output(const std::string& line) {
    const auto begins = [&](std::initializer_list<const char*> words) {
        for (const char* word : words)
            if (line.starts_with(word)) return true;
        return false;
    };
    if (begins({"error", "Error", "ERROR", "[E", "terminate called", "Assertion", "fatal", "FATAL"}))
        return Severity::error;
    if (begins({"warning", "Warning", "WARNING", "[W", "Warn"})) return Severity::warning;
    return Severity::info;
}

}  // namespace divisi::control
