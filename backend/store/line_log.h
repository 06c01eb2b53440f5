// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "backend/base/result.h"
#include "backend/control/types/log_types.h"

namespace SQLite {
class Database;
}

namespace divisi::store {

/// Limits on kept lines; beyond either limit, the oldest lines are removed.
struct LineRetention {
    std::uint64_t lines = 200'000;    ///< some days of a busy cluster
    std::uint64_t bytes = 64u << 20;  ///< used bytes of the file
};

/// The output lines of all processes of a cluster: SQLite, WAL, NORMAL. The lines are telemetry, so a power cut may
/// lose the newest lines. They have a separate file so that writing lines does not delay the events. Not thread-safe:
/// the writing and the searching thread each open the log.
class LineLog {
public:
    /// Opens the log. A damaged file is moved to FILE.damaged and a new one is created, because lost lines must not
    /// prevent a start.
    static Result<std::unique_ptr<LineLog>> open(const std::filesystem::path& file, LineRetention retention = {});
    /// Opens an existing file for reading.
    static Result<std::unique_ptr<LineLog>> open_to_read(const std::filesystem::path& file);
    ~LineLog();

    /// Appends lines in one transaction, which also removes lines beyond the limits.
    Result<void> append(std::span<const control::LogLine> lines);
    /// Returns a page of lines, as control::QueryLines defines.
    Result<control::LinesPage> query(const control::QueryLines& query);

private:
    LineLog() = default;
    static Result<std::unique_ptr<LineLog>> make(const std::filesystem::path& file, LineRetention retention);
    void trim();

    std::filesystem::path file_;
    LineRetention retention_;
    std::unique_ptr<SQLite::Database> database_;
};

}  // namespace divisi::store
