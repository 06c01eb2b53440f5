// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "backend/store/line_log.h"

namespace divisi::orchestrator {

/// Limit of lines that wait for the disk; further lines are dropped and counted.
inline constexpr std::size_t most_waiting_lines = 10'000;

/// Writes log lines on its own thread, so that neither events nor heartbeats wait for the disk.
class LogLineWriter {
public:
    explicit LogLineWriter(std::unique_ptr<store::LineLog> log);
    /// Writes the waiting lines before it ends.
    ~LogLineWriter();
    LogLineWriter(const LogLineWriter&) = delete;
    LogLineWriter& operator=(const LogLineWriter&) = delete;

    void keep(std::vector<control::LogLine> lines);

private:
    void run(const std::stop_token& stop);

    std::unique_ptr<store::LineLog> log_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::vector<control::LogLine> waiting_;  ///< lines that wait to be written; guarded by the mutex
    std::uint64_t left_out_ = 0;             ///< number of lines that were not written; guarded by the mutex
    std::jthread thread_;                    ///< declared last, because it uses the other members
};

}  // namespace divisi::orchestrator
