// SPDX-License-Identifier: Apache-2.0
#include "backend/link/line_sender.h"

#include <cstdio>

namespace divisi::link {
namespace {

/// Limit on messages per send(); enough to send all lines that the buffer keeps.
constexpr std::size_t most_messages = control::most_lines_kept / control::lines_at_once + 1;

}  // namespace

void LineSender::print(std::string_view text) const {
    std::fprintf(stderr, "%s: %.*s\n", name_.c_str(), static_cast<int>(text.size()), text.data());
}

void LineSender::write(Severity severity, std::string_view component, std::string_view text) {
    print(text);
    control::LogLine line;
    line.time = clock_.now();
    line.severity = severity;
    line.component = component;
    line.text = text;
    buffer_.add(std::move(line), clock_.now());
}

void LineSender::write_new(Severity severity, std::string_view component, std::string_view text) {
    if (remember(text)) write(severity, component, text);
}

void LineSender::print_new(std::string_view text) {
    if (remember(text)) print(text);
}

/// Stores the line as the last line; returns whether it differs from the previous one.
bool LineSender::remember(std::string_view text) {
    if (last_ == text) return false;
    last_ = text;
    return true;
}

control::LogLine LineSender::line_of(const std::string& component, const std::string& text) const {
    control::LogLine line;
    line.time = clock_.now();
    line.severity = control::severity_of_output(text);
    line.component = component;
    line.text = text;
    return line;
}

void LineSender::pass_on(const std::string& component, const std::string& text) {
    buffer_.add(line_of(component, text), clock_.now());
}

void LineSender::pass_on_last(const std::string& component, const std::vector<std::string>& texts) {
    std::vector<control::LogLine> lines;
    lines.reserve(texts.size());
    for (const std::string& text : texts) lines.push_back(line_of(component, text));
    buffer_.add_last(component, std::move(lines), clock_.now());
}

void LineSender::send() {
    for (std::size_t i = 0; i < most_messages && orchestrator_.up(); ++i) {
        control::LogLines message = buffer_.take(clock_.now());
        if (message.lines.empty()) return;
        orchestrator_.send(0, std::move(message));
    }
}

}  // namespace divisi::link
