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

/// Lines that wait for the disk; more are left out, with a count.
inline constexpr std::size_t most_waiting_lines = 10'000;

/// Writes lines on a thread of its own, so that neither events nor heartbeats wait for them.
class LineKeeper {
public:
    explicit LineKeeper(std::unique_ptr<store::LineLog> log);
    /// Writes what waits.
    ~LineKeeper();
    LineKeeper(const LineKeeper&) = delete;
    LineKeeper& operator=(const LineKeeper&) = delete;

    void keep(std::vector<control::LogLine> lines);

private:
    void run(const std::stop_token& stop);

    std::unique_ptr<store::LineLog> log_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::vector<control::LogLine> waiting_;  ///< behind the mutex
    std::uint64_t left_out_ = 0;             ///< likewise
    std::jthread thread_;                    ///< last: it uses the others
};

}  // namespace divisi::orchestrator
