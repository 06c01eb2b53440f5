// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "backend/base/result.h"
#include "backend/control/protocol/message_fwd.h"
#include "backend/control/protocol/state_messages.h"
#include "backend/control/state/journal.h"

namespace SQLite {
class Database;
}

namespace divisi::store {

/// Converts events and pages of the state to and from bytes. The adapter is backend/wire's codec, which store must not
/// depend on.
struct EventCodec {
    std::function<Result<std::string>(const control::Event&)> encode;
    std::function<Result<control::Event>(std::span<const std::byte>)> decode;
    std::function<Result<std::string>(const control::Snapshot&)> encode_page;
    std::function<Result<control::Snapshot>(std::span<const std::byte>)> decode_page;
};

/// Limits on the events kept for the audit trail, for searches in logs and for whole curves. Beyond either limit, the
/// oldest events are removed, except receipts. Events after the second newest saved state are always kept.
struct Retention {
    std::uint64_t events = 500'000;  ///< some days of continuous training: about 75 MB
    std::uint64_t bytes = 1u << 30;  ///< used bytes of the file, which matter if events are large
};

/// The orchestrator's event log: SQLite, WAL, FULL. A batch of events is one transaction (group commit) and is durable
/// when append() returns. The state is saved to the same file from time to time, so that a start replays only the newer
/// events.
///
/// A separate thread saves the state. It replays the log on its own and writes page by page, so it needs no copy from
/// the appending thread. An append waits at most for one page, or for the removal of some hundred events. The log is
/// readable with the sqlite3 shell: kind, task and text are stored in addition to the bytes.
class EventLog final : public control::Journal {
public:
    static Result<std::unique_ptr<EventLog>> open(const std::filesystem::path& file, EventCodec codec,
                                                  Retention retention = {});
    /// Opens an existing log for queries only, on a thread other than the appending one.
    static Result<std::unique_ptr<EventLog>> open_to_read(const std::filesystem::path& file, EventCodec codec);
    ~EventLog() override;

    Result<void> append(std::span<const control::Event> events) override;
    Result<control::Restored> restore() override;
    Result<void> save() override;
    Result<void> finish_saving() override;
    std::uint64_t unsaved() const override { return unsaved_; }
    /// Returns the CPU time spent in append() since the log was opened.
    Duration cpu() const { return cpu_; }
    /// Returns a page of events, as control::QueryLog defines. An unreadable event becomes a line that reports this.
    Result<control::LogPage> query(const control::QueryLog& query);

private:
    struct Statements;
    EventLog() = default;
    control::Restored saved_state(SQLite::Database& database) const;
    void fold_tail(SQLite::Database& database, std::uint64_t last, control::Restored& restored) const;
    Result<void> write(std::uint64_t last);
    bool trim(std::uint64_t newest);
    Result<control::Event> decode(std::uint64_t sequence, std::span<const std::byte> body) const;

    std::filesystem::path file_;
    EventCodec codec_;
    Retention retention_;
    std::unique_ptr<Statements> statements_;
    std::uint64_t unsaved_ = 0, newest_ = 0;
    Duration cpu_{};
    std::mutex writing_;                ///< serialises transactions on the connection
    std::uint64_t trimmed_ = 0;         ///< only receipts remain of the events up to this number
    control::Restored folded_;          ///< the saving thread's replayed state; empty before its first save
    std::future<Result<void>> saving_;  ///< declared last: its thread uses the other members
};

}  // namespace divisi::store
