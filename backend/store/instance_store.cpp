// SPDX-License-Identifier: Apache-2.0
#include "backend/store/instance_store.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "backend/store/database.h"

namespace divisi::store {
namespace {

constexpr const char* schema = R"sql(
CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS config (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS dependency (sid TEXT PRIMARY KEY) STRICT;
CREATE TABLE IF NOT EXISTS snapshot (task TEXT NOT NULL, generation INTEGER NOT NULL, step INTEGER NOT NULL,
    path TEXT NOT NULL, hash TEXT NOT NULL, size INTEGER NOT NULL, committed INTEGER NOT NULL,
    PRIMARY KEY (task, generation, step)) STRICT;
CREATE TABLE IF NOT EXISTS metric (id INTEGER PRIMARY KEY, time_ns INTEGER NOT NULL, name TEXT NOT NULL,
    value REAL NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS metric_by_name ON metric (name, time_ns);
CREATE TABLE IF NOT EXISTS hardware (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS version (id INTEGER PRIMARY KEY, task TEXT NOT NULL, step INTEGER NOT NULL,
    path TEXT NOT NULL, hash TEXT NOT NULL, size INTEGER NOT NULL, time_ns INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS audit (id INTEGER PRIMARY KEY, time_ns INTEGER NOT NULL, actor TEXT NOT NULL,
    action TEXT NOT NULL, detail TEXT NOT NULL) STRICT;
)sql";

/// Rows are counted off only every so many inserts: a delete a row would double the work.
constexpr std::int64_t trim_every = 1000;

std::int64_t to_ns(TimePoint time) { return time.time_since_epoch().count(); }
TimePoint from_ns(std::int64_t ns) { return TimePoint(Duration(ns)); }

template <typename... Values>
void bind_all(SQLite::Statement& statement, const Values&... values) {
    int index = 0;
    (statement.bind(++index, values), ...);
}

SnapshotRow snapshot_row(SQLite::Statement& row) {
    return {row.getColumn(0).getString(),  static_cast<Generation>(row.getColumn(1).getUInt()),
            row.getColumn(2).getInt64(),   row.getColumn(3).getString(),
            row.getColumn(4).getString(),  row.getColumn(5).getInt64(),
            row.getColumn(6).getInt() != 0};
}

}  // namespace

struct InstanceStore::Impl {
    std::filesystem::path file;
    std::unique_ptr<SQLite::Database> database;
    std::int64_t since_trim = 0;

    /// Runs `work`, and turns SQLite's exceptions into errors; this is the adapter's edge.
    template <typename Work>
    auto guarded(Work&& work) -> Result<decltype(work())> {
        try {
            if constexpr (std::is_void_v<decltype(work())>) {
                work();
                return {};
            } else {
                return work();
            }
        } catch (const SQLite::Exception& exception) {
            return sqlite_error(exception, file);
        }
    }
    /// The same in one transaction that is on the disk when it returns.
    template <typename Work>
    Result<void> durable(Work&& work) {
        return guarded([&] {
            database->exec("PRAGMA synchronous=FULL");
            SQLite::Transaction transaction(*database);
            work();
            transaction.commit();
            database->exec("PRAGMA synchronous=NORMAL");
        });
    }
    template <typename... Values>
    void run(const char* sql, const Values&... values) {
        SQLite::Statement statement(*database, sql);
        bind_all(statement, values...);
        statement.exec();
    }
    /// One `row(statement)` for each row.
    template <typename Row, typename... Values>
    auto select(const char* sql, Row&& row, const Values&... values) {
        return guarded([&] {
            SQLite::Statement statement(*database, sql);
            bind_all(statement, values...);
            std::vector<decltype(row(statement))> rows;
            while (statement.executeStep()) rows.push_back(row(statement));
            return rows;
        });
    }
    Result<std::map<std::string, std::string>> pairs(const char* sql) {
        return guarded([&] {
            SQLite::Statement statement(*database, sql);
            std::map<std::string, std::string> all;
            while (statement.executeStep())
                all[statement.getColumn(0).getString()] = statement.getColumn(1).getString();
            return all;
        });
    }
};

InstanceStore::InstanceStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
InstanceStore::~InstanceStore() = default;

Result<std::unique_ptr<InstanceStore>> InstanceStore::open(const std::filesystem::path& file) {
    auto impl = std::make_unique<Impl>();
    impl->file = file;
    DIVISI_ASSIGN(impl->database, open_database(file, Durability::normal));
    DIVISI_TRY(impl->guarded([&] { impl->database->exec(schema); }));
    return std::unique_ptr<InstanceStore>(new InstanceStore(std::move(impl)));
}

Result<std::unique_ptr<InstanceStore>> InstanceStore::open_to_read(const std::filesystem::path& file) {
    auto impl = std::make_unique<Impl>();
    impl->file = file;
    DIVISI_ASSIGN(impl->database, open_read_only(file));
    return std::unique_ptr<InstanceStore>(new InstanceStore(std::move(impl)));
}

Result<void> InstanceStore::put_state(const std::string& key, std::span<const std::byte> value) {
    return impl_->durable([&] {
        SQLite::Statement statement(*impl_->database, "INSERT OR REPLACE INTO state VALUES (?, ?)");
        statement.bind(1, key);
        // An empty value must not become NULL.
        statement.bind(2, value.empty() ? "" : static_cast<const void*>(value.data()), static_cast<int>(value.size()));
        statement.exec();
    });
}

Result<std::optional<std::string>> InstanceStore::state(const std::string& key) {
    return impl_->guarded([&]() -> std::optional<std::string> {
        SQLite::Statement statement(*impl_->database, "SELECT value FROM state WHERE key = ?");
        statement.bind(1, key);
        if (!statement.executeStep()) return std::nullopt;
        const SQLite::Column value = statement.getColumn(0);
        return std::string(static_cast<const char*>(value.getBlob()), static_cast<std::size_t>(value.getBytes()));
    });
}

Result<void> InstanceStore::configure(const std::map<std::string, std::string>& config,
                                      const std::vector<std::string>& dependencies) {
    return impl_->durable([&] {
        impl_->run("DELETE FROM config");
        impl_->run("DELETE FROM dependency");
        for (const auto& [key, value] : config) impl_->run("INSERT INTO config VALUES (?, ?)", key, value);
        for (const std::string& sid : dependencies) impl_->run("INSERT OR IGNORE INTO dependency VALUES (?)", sid);
    });
}

Result<std::map<std::string, std::string>> InstanceStore::config() {
    return impl_->pairs("SELECT key, value FROM config");
}

Result<std::vector<std::string>> InstanceStore::dependencies() {
    return impl_->select("SELECT sid FROM dependency ORDER BY sid",
                         [](SQLite::Statement& row) { return row.getColumn(0).getString(); });
}

Result<void> InstanceStore::register_snapshot(const SnapshotRow& row) {
    return impl_->durable([&] {
        impl_->run("INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?, ?, ?, ?)", row.task, row.generation, row.step,
                   row.path, row.hash, row.size, row.committed ? 1 : 0);
    });
}

Result<void> InstanceStore::commit_snapshot(const std::string& task, std::int64_t step) {
    return impl_->durable(
        [&] { impl_->run("UPDATE snapshot SET committed = 1 WHERE task = ? AND step = ?", task, step); });
}

Result<std::optional<SnapshotRow>> InstanceStore::committed_snapshot(const std::string& task, std::int64_t step) {
    DIVISI_ASSIGN(auto rows, impl_->select("SELECT * FROM snapshot WHERE task = ? AND step <= ? AND committed = 1 "
                                           "ORDER BY step DESC, generation DESC LIMIT 1",
                                           snapshot_row, task, step));
    if (rows.empty()) return std::optional<SnapshotRow>{};
    return std::optional<SnapshotRow>{std::move(rows.front())};
}

Result<std::vector<SnapshotRow>> InstanceStore::snapshots() {
    return impl_->select("SELECT * FROM snapshot ORDER BY step DESC, generation DESC, task", snapshot_row);
}

Result<std::vector<SnapshotRow>> InstanceStore::forget_snapshots(const std::string& task, std::int64_t step) {
    DIVISI_ASSIGN(auto rows, impl_->select("SELECT * FROM snapshot WHERE task = ? AND step < ? ORDER BY step",
                                           snapshot_row, task, step));
    DIVISI_TRY(impl_->durable([&] { impl_->run("DELETE FROM snapshot WHERE task = ? AND step < ?", task, step); }));
    return rows;
}

Result<void> InstanceStore::add_metrics(std::span<const MetricRow> rows) {
    return impl_->guarded([&] {
        SQLite::Transaction transaction(*impl_->database);
        SQLite::Statement insert(*impl_->database, "INSERT INTO metric (time_ns, name, value) VALUES (?, ?, ?)");
        for (const MetricRow& row : rows) {
            bind_all(insert, to_ns(row.time), row.name, row.value);
            insert.exec();
            insert.reset();
        }
        impl_->since_trim += static_cast<std::int64_t>(rows.size());
        if (impl_->since_trim >= trim_every) {
            impl_->run("DELETE FROM metric WHERE id <= (SELECT max(id) FROM metric) - ?", metric_limit);
            impl_->since_trim = 0;
        }
        transaction.commit();
    });
}

Result<std::vector<MetricRow>> InstanceStore::metrics(const std::string& name, TimePoint since) {
    return impl_->select(
        "SELECT time_ns, value FROM metric WHERE name = ? AND time_ns >= ? ORDER BY time_ns, id",
        [&](SQLite::Statement& row) {
            return MetricRow{from_ns(row.getColumn(0).getInt64()), name, row.getColumn(1).getDouble()};
        },
        name, to_ns(since));
}

Result<void> InstanceStore::put_hardware(const std::map<std::string, std::string>& parameters) {
    return impl_->durable([&] {
        for (const auto& [key, value] : parameters)
            impl_->run("INSERT OR REPLACE INTO hardware VALUES (?, ?)", key, value);
    });
}

Result<std::map<std::string, std::string>> InstanceStore::hardware() {
    return impl_->pairs("SELECT key, value FROM hardware");
}

Result<void> InstanceStore::add_version(const VersionRow& row) {
    return impl_->durable([&] {
        impl_->run("INSERT INTO version (task, step, path, hash, size, time_ns) VALUES (?, ?, ?, ?, ?, ?)", row.task,
                   row.step, row.path, row.hash, row.size, to_ns(row.time));
    });
}

Result<std::vector<VersionRow>> InstanceStore::versions() {
    return impl_->select("SELECT task, step, path, hash, size, time_ns FROM version ORDER BY id DESC",
                         [](SQLite::Statement& row) {
                             return VersionRow{row.getColumn(0).getString(), row.getColumn(1).getInt64(),
                                               row.getColumn(2).getString(), row.getColumn(3).getString(),
                                               row.getColumn(4).getInt64(),  from_ns(row.getColumn(5).getInt64())};
                         });
}

Result<void> InstanceStore::audit(const AuditRow& row) {
    return impl_->guarded([&] {
        impl_->run("INSERT INTO audit (time_ns, actor, action, detail) VALUES (?, ?, ?, ?)", to_ns(row.time), row.actor,
                   row.action, row.detail);
        impl_->run("DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - ?", audit_limit);
    });
}

Result<std::vector<AuditRow>> InstanceStore::audit_trail(std::int64_t limit) {
    return impl_->select(
        "SELECT time_ns, actor, action, detail FROM audit ORDER BY id DESC LIMIT ?",
        [](SQLite::Statement& row) {
            return AuditRow{from_ns(row.getColumn(0).getInt64()), row.getColumn(1).getString(),
                            row.getColumn(2).getString(), row.getColumn(3).getString()};
        },
        limit);
}

}  // namespace divisi::store
