// SPDX-License-Identifier: Apache-2.0
#include "backend/store/event_log.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>
#include <system_error>

#include "backend/control/protocol/log_messages.h"
#include "backend/control/state/encoded_size.h"
#include "backend/store/database.h"
#include "backend/store/error_texts.h"
#include "backend/store/saved_state.h"

namespace divisi::store {
namespace {

constexpr const char* event_schema =
    "CREATE TABLE IF NOT EXISTS event (sequence INTEGER PRIMARY KEY, time_ns INTEGER NOT NULL, kind TEXT NOT NULL,"
    " task TEXT NOT NULL, text TEXT NOT NULL, body BLOB NOT NULL) STRICT;"
    "CREATE INDEX IF NOT EXISTS event_task ON event (task, sequence);";
/// Limit on the events of a page; the rest is on the next pages.
constexpr std::uint32_t most_rows = 1000;
/// Events removed in one transaction when the log is trimmed. This takes about a millisecond, during which an append
/// must wait.
constexpr std::uint64_t trimmed_at_once = 500;
/// Each save of the state removes up to twice as many events as were added since the last save. A log that is too long
/// thus shrinks.
constexpr std::uint64_t trims_of_a_save = 2 * control::save_interval / trimmed_at_once;

/// Receipts are kept when the log is trimmed: a missing receipt would break their chain.
const std::string kept_kind = control::kind_name(control::LeaseReclaimed{});

/// Time that an append waits for a lock; it is short, because the appending thread has other work and tries again.
constexpr int append_patience_ms = 5;

/// Adds to `total` the CPU time that the current thread uses while this object exists.
class CpuMeter {
public:
    explicit CpuMeter(Duration& total) : total_(total), began_(now()) {}
    ~CpuMeter() { total_ += now() - began_; }
    CpuMeter(const CpuMeter&) = delete;

private:
    static Duration now() {
        timespec time{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    }
    Duration& total_;
    Duration began_;
};

std::span<const std::byte> bytes_of(const SQLite::Column& body) {
    return {static_cast<const std::byte*>(body.getBlob()), static_cast<std::size_t>(body.getBytes())};
}

/// Returns the kinds of events that may be more severe than information, as an SQL list.
std::string grave_kinds() {
    std::string list;
    for (const char* kind : control::grave_kinds) list += (list.empty() ? "'" : ",'") + std::string(kind) + "'";
    return list;
}

/// Returns a query with only the conditions that are set, so that SQLite can use its index.
std::string query_text(const control::QueryLog& query) {
    std::string text = "SELECT sequence, time_ns, kind, task, body FROM event WHERE sequence > :after";
    if (query.before != 0) text += " AND sequence < :before";
    if (!query.task.empty()) text += " AND task = :task";
    if (!query.kind.empty()) text += " AND kind = :kind";
    if (!query.contains.empty()) text += " AND text LIKE :text ESCAPE '\\'";
    if (!query.sid.empty()) text += " AND text LIKE :sid ESCAPE '\\'";
    if (!query.node.empty()) text += " AND text LIKE :node ESCAPE '\\'";
    if (query.since != TimePoint{}) text += " AND time_ns >= :since";
    if (query.until != TimePoint{}) text += " AND time_ns < :until";
    if (query.level > Severity::info) text += " AND kind IN (" + grave_kinds() + ")";
    return text + (query.oldest ? " ORDER BY sequence" : " ORDER BY sequence DESC");
}

void bind_query(SQLite::Statement& select, const control::QueryLog& query) {
    select.bind(":after", static_cast<std::int64_t>(query.after));
    if (query.before != 0) select.bind(":before", static_cast<std::int64_t>(query.before));
    if (!query.task.empty()) select.bind(":task", query.task);
    if (!query.kind.empty()) select.bind(":kind", query.kind);
    if (!query.contains.empty()) select.bind(":text", like(query.contains));
    if (!query.sid.empty()) select.bind(":sid", like(query.sid));
    if (!query.node.empty()) select.bind(":node", like(query.node));
    const auto nanoseconds = [](TimePoint time) { return static_cast<std::int64_t>(time.time_since_epoch().count()); };
    if (query.since != TimePoint{}) select.bind(":since", nanoseconds(query.since));
    if (query.until != TimePoint{}) select.bind(":until", nanoseconds(query.until));
}

/// Returns the oldest removable event after `trimmed`; 0: none.
std::uint64_t oldest_removable(SQLite::Database& database, std::uint64_t trimmed) {
    SQLite::Statement select(database, "SELECT ifnull(min(sequence), 0) FROM event WHERE sequence > ? AND kind <> ?");
    select.bind(1, static_cast<std::int64_t>(trimmed));
    select.bind(2, kept_kind);
    select.executeStep();
    return static_cast<std::uint64_t>(select.getColumn(0).getInt64());
}

std::string unreadable(std::uint64_t sequence, const std::string& kind, const Error& why) {
    return "event " + std::to_string(sequence) + " (" + kind + ") cannot be read and was left out: " + why.what +
           "; its bytes stay in the log";
}

}  // namespace

struct EventLog::Statements {
    std::unique_ptr<SQLite::Database> database;
    std::unique_ptr<SQLite::Statement> insert;
};

EventLog::~EventLog() = default;

Result<std::unique_ptr<EventLog>> EventLog::open(const std::filesystem::path& file, EventCodec codec,
                                                 Retention retention) {
    std::unique_ptr<EventLog> log(new EventLog());
    log->file_ = file;
    log->codec_ = std::move(codec);
    log->retention_ = retention;
    log->statements_ = std::make_unique<Statements>();
    DIVISI_ASSIGN(log->statements_->database, open_database(file, Durability::full));
    try {
        SQLite::Database& database = *log->statements_->database;
        database.exec(event_schema);
        database.exec(saved_state_schema);
        log->statements_->insert =
            std::make_unique<SQLite::Statement>(database, "INSERT INTO event VALUES (?,?,?,?,?,?)");
        database.setBusyTimeout(append_patience_ms);
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file);
    }
    return log;
}

Result<std::unique_ptr<EventLog>> EventLog::open_to_read(const std::filesystem::path& file, EventCodec codec) {
    std::unique_ptr<EventLog> log(new EventLog());
    log->file_ = file;
    log->codec_ = std::move(codec);
    log->statements_ = std::make_unique<Statements>();
    DIVISI_ASSIGN(log->statements_->database, open_read_only(file));
    return log;
}

Result<void> EventLog::append(std::span<const control::Event> events) {
    if (events.empty()) return {};
    const std::lock_guard lock(writing_);
    const CpuMeter meter(cpu_);
    try {
        SQLite::Transaction transaction(*statements_->database);
        for (const control::Event& event : events) {
            DIVISI_ASSIGN(const std::string bytes, codec_.encode(event));
            SQLite::Statement& insert = *statements_->insert;
            insert.bind(1, static_cast<std::int64_t>(event.sequence));
            insert.bind(2, static_cast<std::int64_t>(event.time.time_since_epoch().count()));
            insert.bind(3, control::kind_name(event.body));
            insert.bind(4, control::task_of(event.body).value());
            insert.bind(5, control::describe(event.body));
            insert.bind(6, bytes.data(), static_cast<int>(bytes.size()));
            insert.exec();
            insert.reset();
        }
        transaction.commit();
    } catch (const SQLite::Exception& exception) {
        statements_->insert->tryReset();
        return sqlite_error(exception, file_);
    }
    unsaved_ += events.size();
    newest_ = events.back().sequence;
    return {};
}

Result<control::Event> EventLog::decode(std::uint64_t sequence, std::span<const std::byte> body) const {
    DIVISI_ASSIGN(control::Event event, codec_.decode(body));
    if (event.sequence != sequence)
        return make_error(error_text("event-of-other-number"), file_.string(), {std::to_string(event.sequence)});
    return event;
}

Result<control::Restored> EventLog::restore() {
    try {
        SQLite::Database& database = *statements_->database;
        folded_ = saved_state(database);
        if (const std::uint64_t readable = folded_.state.sequence) remove_states_after(database, readable);
        fold_tail(database, std::numeric_limits<std::int64_t>::max(), folded_);
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file_);
    }
    newest_ = folded_.state.sequence;
    unsaved_ = folded_.folded;
    return folded_;
}

control::Restored EventLog::saved_state(SQLite::Database& database) const {
    control::Restored restored;
    if (auto saved = load_state(database, codec_, restored.findings)) restored.state = *std::move(saved);
    return restored;
}

void EventLog::fold_tail(SQLite::Database& database, std::uint64_t last, control::Restored& restored) const {
    control::ClusterState& state = restored.state;
    SQLite::Statement select(
        database,
        "SELECT sequence, kind, task, body FROM event WHERE sequence > ? AND sequence <= ? ORDER BY sequence");
    select.bind(1, static_cast<std::int64_t>(state.sequence));
    select.bind(2, static_cast<std::int64_t>(last));
    bool trimmed = state.sequence == 0;  // only receipts remain of the trimmed events
    while (select.executeStep()) {
        const auto sequence = static_cast<std::uint64_t>(select.getColumn(0).getInt64());
        trimmed = trimmed && select.getColumn(1).getString() == kept_kind;
        if (sequence != state.sequence + 1 && !trimmed)
            restored.findings.push_back({sequence,
                                         {},
                                         {},
                                         "events " + std::to_string(state.sequence + 1) + " to " +
                                             std::to_string(sequence - 1) +
                                             " are missing in the log; their contents are unknown"});
        const auto event = decode(sequence, bytes_of(select.getColumn(3)));
        if (event) control::apply(state, *event);
        else {
            const std::string kind = select.getColumn(1).getString();
            restored.findings.push_back(
                {sequence, kind, TaskId(select.getColumn(2).getString()), unreadable(sequence, kind, event.error())});
        }
        state.sequence = sequence;
        ++restored.folded;
    }
}

Result<void> EventLog::save() {
    if (saving_.valid() && saving_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return {};
    auto before = finish_saving();
    unsaved_ = 0;  // reset even after a failure: the next save follows after the usual number of events
    try {
        saving_ = std::async(std::launch::async, [this, last = newest_] { return write(last); });
    } catch (const std::system_error& error) {
        return make_error(error_text("no-thread-for-log"), file_.string(), {error.what()});
    }
    return before;
}

Result<void> EventLog::finish_saving() {
    if (!saving_.valid()) return {};
    return saving_.get();
}

/// Saves the state up to event `last`, on the saving thread. Reads over its own connection, so no writer must wait.
Result<void> EventLog::write(std::uint64_t last) {
    DIVISI_ASSIGN(const auto reader, open_read_only(file_));
    try {
        if (folded_.state.sequence == 0) folded_ = saved_state(*reader);
        fold_tail(*reader, last, folded_);
        folded_.findings.clear();  // dropped, because the next start reports the findings
        const std::uint64_t sequence = folded_.state.sequence;
        DIVISI_ASSIGN(const auto pages, encode_state(codec_, folded_.state));
        SQLite::Database& database = *statements_->database;
        for (const SavedPage& page : pages) {
            const std::lock_guard lock(writing_);
            write_page(database, sequence, page);
        }
        {
            const std::lock_guard lock(writing_);
            remove_older_states(database);
        }
        for (std::uint64_t i = 0; i < trims_of_a_save && trim(sequence); ++i) {}
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file_);
    } catch (const std::bad_alloc&) {
        return make_error(error_text("no-memory-for-state"), file_.string());
    }
    return {};
}

/// Removes old events in one transaction; returns whether any were removed.
bool EventLog::trim(std::uint64_t newest) {
    const std::lock_guard lock(writing_);
    SQLite::Database& database = *statements_->database;
    const std::uint64_t unneeded = older_state(database);
    const auto number = [&](const char* text) {
        return static_cast<std::uint64_t>(database.execAndGet(text).getInt64());
    };
    const std::uint64_t oldest = oldest_removable(database, trimmed_);
    const std::uint64_t pages = number("PRAGMA page_count") - number("PRAGMA freelist_count");
    const bool full = pages * number("PRAGMA page_size") > retention_.bytes;
    const std::uint64_t beyond = newest > retention_.events ? newest - retention_.events : 0;
    const std::uint64_t last = std::min({unneeded, full ? unneeded : beyond, oldest + trimmed_at_once});
    SQLite::Statement remove(database, "DELETE FROM event WHERE sequence > ? AND sequence <= ? AND kind <> ?");
    remove.bind(1, static_cast<std::int64_t>(trimmed_));
    remove.bind(2, static_cast<std::int64_t>(last));
    remove.bind(3, kept_kind);
    const bool removed = remove.exec() > 0;
    trimmed_ = std::max(trimmed_, last);
    return removed;
}

Result<control::LogPage> EventLog::query(const control::QueryLog& query) {
    try {
        SQLite::Statement select(*statements_->database, query_text(query));
        bind_query(select, query);
        const std::size_t limit = std::clamp<std::uint32_t>(query.limit, 1, most_rows);
        control::LogPage page;
        control::EncodedSize filled;
        while (!page.more && select.executeStep()) {
            const auto sequence = static_cast<std::uint64_t>(select.getColumn(0).getInt64());
            auto event = decode(sequence, bytes_of(select.getColumn(4)));
            if (!event)
                event = control::Event{
                    sequence, TimePoint(Duration(select.getColumn(1).getInt64())),
                    control::Noted{Severity::error, "event log", select.getColumn(3).getString(),
                                   unreadable(sequence, select.getColumn(2).getString(), event.error())}};
            if (severity_of(event->body) < query.level) continue;
            filled += control::encoded_size(*event);
            page.more = page.events.size() == limit || (!page.events.empty() && !filled.within(control::page_fill));
            if (!page.more) page.events.push_back(*std::move(event));
        }
        if (!query.oldest) std::reverse(page.events.begin(), page.events.end());
        return page;
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file_);
    }
}

}  // namespace divisi::store
