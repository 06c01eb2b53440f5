// SPDX-License-Identifier: Apache-2.0
#include "backend/store/event_log.h"

#include <algorithm>

#include "backend/store/database.h"

namespace divisi::store {
namespace {

constexpr const char* schema =
    "CREATE TABLE IF NOT EXISTS event (sequence INTEGER PRIMARY KEY, time_ns INTEGER NOT NULL, kind TEXT NOT NULL,"
    " task TEXT NOT NULL, text TEXT NOT NULL, body BLOB NOT NULL) STRICT;"
    "CREATE INDEX IF NOT EXISTS event_task ON event (task, sequence);";
/// A page of the log for a person; more is asked for with `after`.
constexpr std::uint32_t most_rows = 1000;

/// Text for LIKE with its wildcards taken literally.
std::string like(const std::string& text) {
    std::string pattern = "%";
    for (const char c : text) {
        if (c == '%' || c == '_' || c == '\\') pattern += '\\';
        pattern += c;
    }
    return pattern + "%";
}

}  // namespace

struct EventLog::Statements {
    std::unique_ptr<SQLite::Database> database;
    std::unique_ptr<SQLite::Statement> insert;
};

EventLog::~EventLog() = default;

Result<std::unique_ptr<EventLog>> EventLog::open(const std::filesystem::path& file, EventCodec codec) {
    std::unique_ptr<EventLog> log(new EventLog());
    log->file_ = file;
    log->codec_ = std::move(codec);
    log->statements_ = std::make_unique<Statements>();
    DIVISI_ASSIGN(log->statements_->database, open_database(file, Durability::full));
    try {
        SQLite::Database& database = *log->statements_->database;
        database.exec(schema);
        log->statements_->insert =
            std::make_unique<SQLite::Statement>(database, "INSERT INTO event VALUES (?,?,?,?,?,?)");
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
    return {};
}

Result<void> EventLog::replay(const std::function<void(const control::Event&)>& take) {
    try {
        SQLite::Statement select(*statements_->database, "SELECT body FROM event ORDER BY sequence");
        while (select.executeStep()) {
            const SQLite::Column body = select.getColumn(0);
            const auto* data = static_cast<const std::byte*>(body.getBlob());
            DIVISI_ASSIGN(const control::Event event, codec_.decode({data, static_cast<std::size_t>(body.getBytes())}));
            take(event);
        }
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file_);
    }
    return {};
}

Result<control::LogPage> EventLog::query(const control::QueryLog& query) {
    try {
        SQLite::Statement select(*statements_->database,
                                 "SELECT body FROM event WHERE sequence > ? AND (? = '' OR task = ?) AND"
                                 " text LIKE ? ESCAPE '\\' ORDER BY sequence DESC LIMIT ?");
        const std::uint32_t limit = std::clamp<std::uint32_t>(query.limit, 1, most_rows);
        select.bind(1, static_cast<std::int64_t>(query.after));
        select.bind(2, query.task);
        select.bind(3, query.task);
        select.bind(4, like(query.contains));
        select.bind(5, static_cast<std::int64_t>(limit) + 1);
        control::LogPage page;
        while (select.executeStep()) {
            const SQLite::Column body = select.getColumn(0);
            const auto* data = static_cast<const std::byte*>(body.getBlob());
            DIVISI_ASSIGN(control::Event event, codec_.decode({data, static_cast<std::size_t>(body.getBytes())}));
            page.events.push_back(std::move(event));
        }
        page.more = page.events.size() > limit;
        if (page.more) page.events.pop_back();
        std::reverse(page.events.begin(), page.events.end());
        return page;
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file_);
    }
}

}  // namespace divisi::store
