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

/// Lines that are kept: the oldest go beyond either limit.
struct LineRetention {
    std::uint64_t lines = 200'000;    ///< some days of a busy cluster
    std::uint64_t bytes = 64u << 20;  ///< of the file
};

/// The lines that all processes of a cluster write: SQLite, WAL, NORMAL, since they are telemetry; a power cut may take
/// the last ones. In a file of their own, so that nothing of theirs is in the way of the events. Not thread-safe: who
/// writes and who searches each open it.
class LineLog {
public:
    /// A file that is no sound database is moved to FILE.damaged, and a new one begun: no line is worth a start.
    static Result<std::unique_ptr<LineLog>> open(const std::filesystem::path& file, LineRetention retention = {});
    /// The file must be there.
    static Result<std::unique_ptr<LineLog>> open_to_read(const std::filesystem::path& file);
    ~LineLog();

    /// One transaction, which also removes what is beyond the limits.
    Result<void> append(std::span<const control::LogLine> lines);
    /// As control::QueryLines says.
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
