// SPDX-License-Identifier: Apache-2.0
#include "backend/control/line_buffer.h"

#include <initializer_list>
#include <utility>

namespace divisi::control {

void LineBuffer::add(LogLine line, TimePoint now) {
    look(now);
    if (!since_) since_ = now;
    Count& count = counts_[line.component];
    if (passed_ >= (count.passed < component_burst ? most_lines_kept : line_burst)) {
        ++count.left_out;
        return;
    }
    ++passed_;
    ++count.passed;
    if (line.text.size() > longest_line) line.text.resize(longest_line);
    lines_.push_back(std::move(line));
    if (lines_.size() <= most_lines_kept) return;
    ++counts_[lines_.front().component].left_out;
    lines_.pop_front();
}

LogLines LineBuffer::take(TimePoint now) {
    look(now);
    LogLines message;
    while (!lines_.empty() && message.lines.size() < lines_at_once) {
        message.lines.push_back(std::move(lines_.front()));
        lines_.pop_front();
    }
    while (!unsaid_.empty() && message.lines.size() < lines_at_once) {
        const auto [component, count] = *unsaid_.begin();
        LogLine line;
        line.time = now;
        line.severity = Severity::warning;
        line.component = component;
        line.text = std::to_string(count) + " lines were left out";
        message.lines.push_back(std::move(line));
        unsaid_.erase(unsaid_.begin());
    }
    return message;
}

/// What was left out is said once the interval is over.
void LineBuffer::look(TimePoint now) {
    if (!since_ || now - *since_ < line_interval) return;
    since_.reset();
    passed_ = 0;
    for (const auto& [component, count] : counts_)
        if (count.left_out > 0) unsaid_[component] += count.left_out;
    counts_.clear();
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
