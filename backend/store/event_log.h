// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "backend/base/result.h"
#include "backend/control/message.h"

namespace divisi::store {

/// How events become bytes; the adapter is backend/wire's codec, which store does not know.
struct EventCodec {
    std::function<Result<std::string>(const control::Event&)> encode;
    std::function<Result<control::Event>(std::span<const std::byte>)> decode;
};

/// The orchestrator's event log: SQLite, WAL, FULL. A batch of events is one transaction (group commit) and is
/// durable when append() returns. Readable with the sqlite3 shell: kind, task and text stand beside the bytes.
class EventLog {
public:
    static Result<std::unique_ptr<EventLog>> open(const std::filesystem::path& file, EventCodec codec);
    /// For queries alone, on another thread than the one that appends. The log must be there.
    static Result<std::unique_ptr<EventLog>> open_to_read(const std::filesystem::path& file, EventCodec codec);
    ~EventLog();

    Result<void> append(std::span<const control::Event> events);
    /// Every event in sequence, from the first.
    Result<void> replay(const std::function<void(const control::Event&)>& take);
    /// Events after `query.after`, of a task and with a text if given, at most `query.limit` of the newest.
    Result<control::LogPage> query(const control::QueryLog& query);

private:
    struct Statements;
    EventLog() = default;
    std::filesystem::path file_;
    EventCodec codec_;
    std::unique_ptr<Statements> statements_;
};

}  // namespace divisi::store
