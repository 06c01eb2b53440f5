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
#include "backend/control/protocol/message.h"
#include "backend/control/state/journal.h"

namespace SQLite {
class Database;
}

namespace divisi::store {

/// How events, and pages of the state, become bytes; the adapter is backend/wire's codec, which store does not know.
struct EventCodec {
    std::function<Result<std::string>(const control::Event&)> encode;
    std::function<Result<control::Event>(std::span<const std::byte>)> decode;
    std::function<Result<std::string>(const control::Snapshot&)> encode_page;
    std::function<Result<control::Snapshot>(std::span<const std::byte>)> decode_page;
};

/// Events that are kept for the audit trail, the search in logs and whole curves; the oldest are removed beyond either
/// limit, but for receipts. Those after the last but one saved state stay whatever it says.
struct Retention {
    std::uint64_t events = 500'000;  ///< some days of steady training: about 75 MB
    std::uint64_t bytes = 1u << 30;  ///< of the file, where events are large
};

/// The orchestrator's event log: SQLite, WAL, FULL. A batch of events is one transaction (group commit) and is
/// durable when append() returns. The state is saved beside it from time to time, so that a start folds only the events
/// since: by a thread of its own, which folds the log itself and writes page by page, so that who appends gives it no
/// copy and waits for one page, or some hundred removed events, at most. Readable with the sqlite3 shell: kind, task
/// and text stand beside the bytes.
class EventLog final : public control::Journal {
public:
    static Result<std::unique_ptr<EventLog>> open(const std::filesystem::path& file, EventCodec codec,
                                                  Retention retention = {});
    /// For queries alone, on another thread than the one that appends. The log must be there.
    static Result<std::unique_ptr<EventLog>> open_to_read(const std::filesystem::path& file, EventCodec codec);
    ~EventLog() override;

    Result<void> append(std::span<const control::Event> events) override;
    Result<control::Restored> restore() override;
    Result<void> save() override;
    Result<void> finish_saving() override;
    std::uint64_t unsaved() const override { return unsaved_; }
    /// What append() took of a processor since the log was opened.
    Duration cpu() const { return cpu_; }
    /// A page of events, as control::QueryLog says. An event that cannot be read is a line that says so.
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
    std::mutex writing_;                ///< one transaction at a time on the one connection
    std::uint64_t trimmed_ = 0;         ///< up to here only receipts are left
    control::Restored folded_;          ///< what the thread that saves has folded; with nothing in it: not begun
    std::future<Result<void>> saving_;  ///< last: the thread behind it uses the others
};

}  // namespace divisi::store
