// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "backend/base/result.h"
#include "backend/control/journal.h"
#include "backend/control/message.h"

namespace divisi::store {

/// How events, and pages of the state, become bytes; the adapter is backend/wire's codec, which store does not know.
struct EventCodec {
    std::function<Result<std::string>(const control::Event&)> encode;
    std::function<Result<control::Event>(std::span<const std::byte>)> decode;
    std::function<Result<std::string>(const control::Snapshot&)> encode_page;
    std::function<Result<control::Snapshot>(std::span<const std::byte>)> decode_page;
};

/// Events that are kept for the audit trail, the search in logs and whole curves; the oldest are removed beyond either
/// limit. Those after the last but one saved state stay whatever it says.
struct Retention {
    std::uint64_t events = 500'000;  ///< some days of steady training: about 75 MB
    std::uint64_t bytes = 1u << 30;  ///< of the file, where events are large
};

/// The orchestrator's event log: SQLite, WAL, FULL. A batch of events is one transaction (group commit) and is
/// durable when append() returns. The state is saved beside it from time to time, so that a start folds only the events
/// since. Readable with the sqlite3 shell: kind, task and text stand beside the bytes.
class EventLog final : public control::Journal {
public:
    static Result<std::unique_ptr<EventLog>> open(const std::filesystem::path& file, EventCodec codec,
                                                  Retention retention = {});
    /// For queries alone, on another thread than the one that appends. The log must be there.
    static Result<std::unique_ptr<EventLog>> open_to_read(const std::filesystem::path& file, EventCodec codec);
    ~EventLog() override;

    Result<void> append(std::span<const control::Event> events) override;
    Result<control::Restored> restore() override;
    Result<void> save(const control::ClusterState& state) override;
    std::uint64_t unsaved() const override { return unsaved_; }
    /// A page of events, as control::QueryLog says. An event that cannot be read is a line that says so.
    Result<control::LogPage> query(const control::QueryLog& query);

private:
    struct Statements;
    EventLog() = default;
    void fold_tail(control::Restored& restored);
    void trim(std::uint64_t newest);
    Result<control::Event> decode(std::uint64_t sequence, std::span<const std::byte> body) const;

    std::filesystem::path file_;
    EventCodec codec_;
    Retention retention_;
    std::unique_ptr<Statements> statements_;
    std::uint64_t unsaved_ = 0;
};

}  // namespace divisi::store
