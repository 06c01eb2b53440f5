// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/line_buffer.h"

#include <initializer_list>
#include <utility>

namespace divisi::control::inline protocol {
namespace {

LogLine left_out_line(const std::string& component, std::uint64_t count, TimePoint now) {
    LogLine line;
    line.time = now;
    line.severity = Severity::warning;
    line.component = component;
    line.text = std::to_string(count) + " lines were dropped";
    return line;
}

}  // namespace

void LineBuffer::add(LogLine line, TimePoint now) {
    poll(now);
    if (!since_) since_ = now;
    Count& count = counts_[line.component];
    if (passed_ >= (count.passed < component_burst ? most_lines_kept : line_burst))
        return leave_out(count, std::move(line));
    ++passed_;
    ++count.passed;
    keep(std::move(line));
}

/// Adds the last lines of a component. Once a line of a component is dropped, all further lines of the component are
/// dropped until the interval ends. The lines retained here are therefore newer than the lines already sent.
void LineBuffer::add_last(const std::string& component, std::vector<LogLine> lines, TimePoint now) {
    poll(now);
    if (!since_) since_ = now;
    Count& count = counts_[component];
    for (LogLine& line : lines) leave_out(count, std::move(line));
    std::deque<LogLine> newest = std::exchange(count.newest, {});
    std::uint64_t left_out = std::exchange(count.left_out, 0) - newest.size();
    if (const auto unsaid = unsaid_.find(component); unsaid != unsaid_.end()) {
        left_out += unsaid->second;
        unsaid_.erase(unsaid);
    }
    if (left_out > 0) keep(left_out_line(component, left_out, now));
    for (LogLine& line : newest) keep(std::move(line));
}

void LineBuffer::leave_out(Count& count, LogLine line) {
    ++count.left_out;
    if (line.text.size() > longest_line) line.text.resize(longest_line);
    count.newest.push_back(std::move(line));
    if (count.newest.size() > last_lines) count.newest.pop_front();
}

void LineBuffer::keep(LogLine line) {
    if (line.text.size() > longest_line) line.text.resize(longest_line);
    lines_.push_back(std::move(line));
    if (lines_.size() <= most_lines_kept) return;
    ++counts_[lines_.front().component].left_out;
    lines_.pop_front();
}

LogLines LineBuffer::take(TimePoint now) {
    poll(now);
    LogLines message;
    while (!lines_.empty() && message.lines.size() < lines_at_once) {
        message.lines.push_back(std::move(lines_.front()));
        lines_.pop_front();
    }
    while (!unsaid_.empty() && message.lines.size() < lines_at_once) {
        const auto [component, count] = *unsaid_.begin();
        message.lines.push_back(left_out_line(component, count, now));
        unsaid_.erase(unsaid_.begin());
    }
    return message;
}

/// Ends the interval if its time is over. The lines dropped in the interval are then due to be reported.
void LineBuffer::poll(TimePoint now) {
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

}  // namespace divisi::control::inline protocol
