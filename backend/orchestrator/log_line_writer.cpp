// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/log_line_writer.h"

#include <cstdio>
#include <string>
#include <utility>

namespace divisi::orchestrator {
namespace {

control::LogLine about_left_out(std::uint64_t count, TimePoint time) {
    control::LogLine line;
    line.time = time;
    line.severity = Severity::warning;
    line.component = "orchestrator";
    line.text = std::to_string(count) + " lines were left out of the log: the disk could not store them";
    return line;
}

}  // namespace

LogLineWriter::LogLineWriter(std::unique_ptr<store::LineLog> log)
    : log_(std::move(log)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

LogLineWriter::~LogLineWriter() {
    thread_.request_stop();
    thread_.join();
}

void LogLineWriter::keep(std::vector<control::LogLine> lines) {
    {
        const std::lock_guard lock(mutex_);
        for (control::LogLine& line : lines) {
            if (waiting_.size() < most_waiting_lines) waiting_.push_back(std::move(line));
            else ++left_out_;
        }
    }
    changed_.notify_one();
}

void LogLineWriter::run(const std::stop_token& stop) {
    std::string told;
    while (true) {
        std::vector<control::LogLine> lines;
        std::uint64_t left_out = 0;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, stop, [&] { return !waiting_.empty(); });
            if (waiting_.empty()) return;  // the thread was woken to stop
            lines = std::exchange(waiting_, {});
            left_out = std::exchange(left_out_, 0);
        }
        if (left_out > 0) lines.push_back(about_left_out(left_out, lines.back().time));
        const auto written = log_->append(lines);
        if (written) continue;
        // Report each reason once: a full disk remains full for a while.
        const std::string why = written.error().message();
        if (std::exchange(told, why) != why) std::fprintf(stderr, "lines are left out: %s\n", why.c_str());
        const std::lock_guard lock(mutex_);
        left_out_ += left_out + lines.size() - (left_out > 0 ? 1 : 0);
    }
}

}  // namespace divisi::orchestrator
