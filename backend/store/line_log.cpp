// SPDX-License-Identifier: Apache-2.0
#include "backend/store/line_log.h"

#include <algorithm>

#include "backend/control/state/encoded_size.h"
#include "backend/store/database.h"
#include "backend/store/error_texts.h"

namespace divisi::store {
namespace {

constexpr const char* line_schema =
    "CREATE TABLE IF NOT EXISTS line (number INTEGER PRIMARY KEY AUTOINCREMENT, time_ns INTEGER NOT NULL,"
    " severity INTEGER NOT NULL, component TEXT NOT NULL, task TEXT NOT NULL, sid TEXT NOT NULL, node TEXT NOT NULL,"
    " text TEXT NOT NULL) STRICT;";
/// Limit on the lines of a page; the rest is on the next pages.
constexpr std::uint32_t most_lines = 1000;
/// Maximum number of lines removed with each appended batch; a batch contains fewer lines.
constexpr std::int64_t lines_trimmed_at_once = 2000;

/// Largest file that is checked; reading it takes some tenths of a second. A larger file was written under higher
/// limits, and is not checked.
constexpr std::uint64_t most_checked = 128u << 20;

/// Checks the whole file. Otherwise a damaged page might be found only days later, by a search or by the removal of old
/// lines.
Result<void> check_sound(SQLite::Database& database, const std::filesystem::path& file) {
    std::error_code code;
    if (const auto size = std::filesystem::file_size(file, code); code || size > most_checked) return {};
    const std::string said = database.execAndGet("PRAGMA quick_check(1)").getString();
    if (said == "ok") return {};
    return make_error(error_text("line-log-not-sound"), file.string(), {said});
}

std::int64_t nanoseconds(TimePoint time) { return static_cast<std::int64_t>(time.time_since_epoch().count()); }

std::string line_query_text(const control::QueryLines& query) {
    std::string text =
        "SELECT number, time_ns, severity, component, task, sid, node, text FROM line WHERE severity >= :level";
    if (query.before != 0) text += " AND number < :before";
    if (!query.task.empty()) text += " AND task = :task";
    if (!query.sid.empty())
        text +=
            " AND (sid = :sid OR substr(sid, 1, length(:sid) + 1) = :sid || '/' OR component = 'instance ' || :sid)";
    if (!query.node.empty()) text += " AND node = :node";
    if (query.since != TimePoint{}) text += " AND time_ns >= :since";
    if (query.until != TimePoint{}) text += " AND time_ns < :until";
    if (!query.contains.empty()) text += " AND (text LIKE :text ESCAPE '\\' OR component LIKE :text ESCAPE '\\')";
    return text + " ORDER BY number DESC";
}

void bind_line_query(SQLite::Statement& select, const control::QueryLines& query) {
    select.bind(":level", static_cast<int>(query.level));
    if (query.before != 0) select.bind(":before", static_cast<std::int64_t>(query.before));
    if (!query.task.empty()) select.bind(":task", query.task);
    if (!query.sid.empty()) select.bind(":sid", query.sid);
    if (!query.node.empty()) select.bind(":node", query.node);
    if (query.since != TimePoint{}) select.bind(":since", nanoseconds(query.since));
    if (query.until != TimePoint{}) select.bind(":until", nanoseconds(query.until));
    if (!query.contains.empty()) select.bind(":text", like(query.contains));
}

control::LogLine line_of(const SQLite::Statement& row) {
    const auto text = [&](int column) { return row.getColumn(column).getString(); };
    control::LogLine line;
    line.number = static_cast<std::uint64_t>(row.getColumn(0).getInt64());
    line.time = TimePoint(Duration(row.getColumn(1).getInt64()));
    line.severity = static_cast<Severity>(std::clamp(row.getColumn(2).getInt(), 0, static_cast<int>(Severity::error)));
    line.component = text(3);
    line.task = TaskId(text(4));
    line.sid = Sid(text(5));
    line.node = NodeId(text(6));
    line.text = text(7);
    return line;
}

}  // namespace

LineLog::~LineLog() = default;

Result<std::unique_ptr<LineLog>> LineLog::make(const std::filesystem::path& file, LineRetention retention) {
    std::unique_ptr<LineLog> log(new LineLog());
    log->file_ = file;
    log->retention_ = retention;
    DIVISI_ASSIGN(log->database_, open_database(file, Durability::normal));
    try {
        log->database_->exec(line_schema);
        DIVISI_TRY(check_sound(*log->database_, file));
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file);
    }
    return log;
}

Result<std::unique_ptr<LineLog>> LineLog::open(const std::filesystem::path& file, LineRetention retention) {
    auto log = make(file, retention);
    if (log || log.error().code != ErrorCode::corrupt) return log;
    std::error_code ignored;
    for (const char* beside : {"-wal", "-shm"}) std::filesystem::remove(file.string() + beside, ignored);
    std::filesystem::rename(file, file.string() + ".damaged", ignored);
    return make(file, retention);
}

Result<std::unique_ptr<LineLog>> LineLog::open_to_read(const std::filesystem::path& file) {
    std::unique_ptr<LineLog> log(new LineLog());
    log->file_ = file;
    DIVISI_ASSIGN(log->database_, open_read_only(file));
    return log;
}

Result<void> LineLog::append(std::span<const control::LogLine> lines) {
    try {
        SQLite::Transaction transaction(*database_);
        SQLite::Statement insert(*database_,
                                 "INSERT INTO line (time_ns, severity, component, task, sid, node, text)"
                                 " VALUES (?,?,?,?,?,?,?)");
        for (const control::LogLine& line : lines) {
            insert.bind(1, nanoseconds(line.time));
            insert.bind(2, static_cast<int>(line.severity));
            insert.bind(3, line.component);
            insert.bind(4, line.task.value());
            insert.bind(5, line.sid.value());
            insert.bind(6, line.node.value());
            insert.bind(7, line.text);
            insert.exec();
            insert.reset();
        }
        trim();
        transaction.commit();
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file_);
    }
    return {};
}

/// Removes old lines. The file keeps its size, since new lines reuse the space.
void LineLog::trim() {
    const auto number = [&](const char* text) { return database_->execAndGet(text).getInt64(); };
    const std::int64_t oldest = number("SELECT ifnull(min(number), 0) FROM line");
    const std::int64_t newest = number("SELECT ifnull(max(number), 0) FROM line");
    const std::int64_t pages = number("PRAGMA page_count") - number("PRAGMA freelist_count");
    const bool full = static_cast<std::uint64_t>(pages * number("PRAGMA page_size")) > retention_.bytes;
    const std::int64_t beyond = newest - static_cast<std::int64_t>(retention_.lines);
    const std::int64_t quarter = oldest + (newest - oldest) / 4;
    const std::int64_t last = std::min(full ? quarter : beyond, oldest + lines_trimmed_at_once);
    if (last < oldest) return;
    SQLite::Statement remove(*database_, "DELETE FROM line WHERE number <= ?");
    remove.bind(1, last);
    remove.exec();
}

Result<control::LinesPage> LineLog::query(const control::QueryLines& query) {
    try {
        SQLite::Statement select(*database_, line_query_text(query));
        bind_line_query(select, query);
        const std::size_t limit = std::clamp<std::uint32_t>(query.limit, 1, most_lines);
        control::LinesPage page;
        control::EncodedSize filled;
        while (!page.more && select.executeStep()) {
            control::LogLine line = line_of(select);
            filled += control::encoded_size(line);
            page.more = page.lines.size() == limit || (!page.lines.empty() && !filled.within(control::page_fill));
            if (!page.more) page.lines.push_back(std::move(line));
        }
        std::reverse(page.lines.begin(), page.lines.end());
        return page;
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file_);
    }
}

}  // namespace divisi::store
