// SPDX-License-Identifier: Apache-2.0
#include "backend/store/instance_store.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>

#include "backend/store/checked_rows.h"
#include "backend/store/database.h"
#include "backend/store/error_texts.h"

namespace divisi::store {
namespace {

// SQL of the first schema version. The columns are in the order that put() and the readers below use.
constexpr const char* first_version = R"sql(
CREATE TABLE identity (id INTEGER PRIMARY KEY CHECK (id = 1), sid TEXT NOT NULL, incarnation INTEGER NOT NULL,
    opened_ns INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE TABLE progress (id INTEGER PRIMARY KEY CHECK (id = 1), incarnation INTEGER NOT NULL,
    generation INTEGER NOT NULL, step INTEGER NOT NULL, samples INTEGER NOT NULL, time_ns INTEGER NOT NULL,
    checksum INTEGER NOT NULL) STRICT;
CREATE TABLE deployment (id INTEGER PRIMARY KEY CHECK (id = 1), incarnation INTEGER NOT NULL,
    generation INTEGER NOT NULL, time_ns INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE TABLE configuration (name TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE TABLE dependency (instance TEXT PRIMARY KEY, checksum INTEGER NOT NULL) STRICT;
CREATE TABLE hardware (name TEXT PRIMARY KEY, incarnation INTEGER NOT NULL, value TEXT NOT NULL,
    time_ns INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE TABLE step (generation INTEGER NOT NULL, step INTEGER NOT NULL, incarnation INTEGER NOT NULL,
    time_ns INTEGER NOT NULL, duration_ms REAL NOT NULL, loss REAL, checksum INTEGER NOT NULL,
    PRIMARY KEY (generation, step)) STRICT;
CREATE TABLE event (id INTEGER PRIMARY KEY, incarnation INTEGER NOT NULL, time_ns INTEGER NOT NULL,
    what TEXT NOT NULL, detail TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE TABLE audit (id INTEGER PRIMARY KEY, incarnation INTEGER NOT NULL, time_ns INTEGER NOT NULL,
    sender TEXT NOT NULL, action TEXT NOT NULL, detail TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT;
)sql";
constexpr const char* const steps_of_schema[] = {first_version};
constexpr Schema instance_schema{"state store of an instance", 0x64697673, steps_of_schema};  // "divs"

constexpr const char* tables[] = {"identity", "progress", "deployment", "configuration", "dependency",
                                  "hardware", "step",     "event",      "audit"};

/// Old rows are removed only once per this many inserts: one delete per row would double the work.
constexpr std::int64_t trim_every = 1'000;

std::int64_t ns(TimePoint time) { return time.time_since_epoch().count(); }
TimePoint time_at(const Cell& cell) { return TimePoint(Duration(std::get<std::int64_t>(cell))); }
std::int64_t whole(const Cell& cell) { return std::get<std::int64_t>(cell); }
const std::string& text(const Cell& cell) { return std::get<std::string>(cell); }
Generation generation(const Cell& cell) { return static_cast<Generation>(whole(cell)); }
Incarnation incarnation(const Cell& cell) { return static_cast<Incarnation>(whole(cell)); }

using Cells = std::vector<Cell>;

Written<Progress> progress_of(const Cells& row) {
    return {incarnation(row[1]), {generation(row[2]), whole(row[3]), whole(row[4]), time_at(row[5])}};
}

Written<StepRow> step_of(const Cells& row) {
    const auto* loss = get_if<double>(&row[5]);
    return {incarnation(row[2]),
            {generation(row[0]), whole(row[1]), time_at(row[3]), std::get<double>(row[4]),
             loss ? std::optional(*loss) : std::nullopt}};
}

Written<EventRow> event_of(const Cells& row) {
    return {incarnation(row[1]), {time_at(row[2]), text(row[3]), text(row[4])}};
}

Written<OrderRow> order_of(const Cells& row) {
    return {incarnation(row[1]), {time_at(row[2]), text(row[3]), text(row[4]), text(row[5])}};
}

InstanceStore::Identity identity_of(const Cells& row) {
    return {Sid(text(row[1])), incarnation(row[2]), time_at(row[3])};
}

}  // namespace

struct InstanceStore::Impl {
    std::filesystem::path file;
    std::unique_ptr<SQLite::Database> database;
    std::int64_t self = 0;  ///< the writing incarnation
    std::int64_t next_event = 1, next_order = 1, since_trim = 0;

    /// Runs `work` and converts SQLite's exceptions to errors, so that no exception leaves this file.
    template <typename Work>
    auto guarded(Work&& work) const -> decltype(work()) {
        try {
            return work();
        } catch (const SQLite::Exception& exception) {
            return sqlite_error(exception, file);
        }
    }
    /// Calls `row(cells)` for each row.
    template <typename Row>
    auto select(const char* table, const std::string& rest, Row&& row) const
        -> Result<std::vector<decltype(row(Cells()))>> {
        return guarded([&]() -> Result<std::vector<decltype(row(Cells()))>> {
            DIVISI_ASSIGN(const auto cells, checked_rows(*database, table, rest, file.string()));
            std::vector<decltype(row(Cells()))> rows;
            for (const Cells& one : cells) rows.push_back(row(one));
            return rows;
        });
    }
    template <typename Row>
    auto newest(const char* table, const char* order, std::int64_t limit, Row&& row) const {
        auto rows = select(table, std::string("ORDER BY ") + order + " LIMIT " + std::to_string(limit), row);
        if (rows) std::reverse(rows->begin(), rows->end());
        return rows;
    }

    Result<void> check_sound() const;
    Result<void> take_over(const Sid& sid, TimePoint now);
    std::int64_t next_of(const char* table) const {
        return database->execAndGet(std::string("SELECT coalesce(max(id), 0) + 1 FROM ") + table).getInt64();
    }

    void put(const char* table, Cells cells) { put_row(*database, table, std::move(cells)); }
    void put(const Progress& row);
    void put(const Deployment& row);
    void put(const Hardware& row);
    void put(const StepRow& row);
    void put(const EventRow& row);
    void put(const OrderRow& row);
    void trim();
};

InstanceStore::InstanceStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
InstanceStore::~InstanceStore() = default;

Result<void> InstanceStore::Impl::check_sound() const {
    return guarded([&]() -> Result<void> {
        const std::string said = database->execAndGet("PRAGMA quick_check(1)").getString();
        if (said == "ok") return {};
        return make_error(error_text("instance-store-not-sound"), file.string(), {said});
    });
}

/// Registers this incarnation as the writer: from now on, no older incarnation can write.
Result<void> InstanceStore::Impl::take_over(const Sid& sid, TimePoint now) {
    return guarded([&]() -> Result<void> {
        SQLite::Transaction transaction(*database, SQLite::TransactionBehavior::IMMEDIATE);
        DIVISI_ASSIGN(const auto rows, checked_rows(*database, "identity", "", file.string()));
        if (!rows.empty()) {
            const Identity before = identity_of(rows.front());
            if (before.sid != sid)
                return make_error(error_text("store-of-other-sid"), file.string(), {before.sid.value(), sid.value()});
            if (static_cast<std::int64_t>(before.incarnation) > self)
                return make_error(error_text("store-of-newer-incarnation"), file.string(),
                                  {std::to_string(before.incarnation), sid.value(), std::to_string(self)});
        }
        put("identity", {std::int64_t{1}, sid.value(), self, ns(now)});
        next_event = next_of("event");
        next_order = next_of("audit");
        transaction.commit();
        return {};
    });
}

Result<std::unique_ptr<InstanceStore>> InstanceStore::open(const std::filesystem::path& file, const Sid& sid,
                                                           Incarnation incarnation, TimePoint now) {
    auto impl = std::make_unique<Impl>();
    impl->file = file;
    impl->self = static_cast<std::int64_t>(incarnation);
    DIVISI_ASSIGN(impl->database, open_database(file, Durability::normal));
    DIVISI_TRY(impl->check_sound());
    DIVISI_TRY(migrate(*impl->database, instance_schema, file));
    DIVISI_TRY(impl->take_over(sid, now));
    return std::unique_ptr<InstanceStore>(new InstanceStore(std::move(impl)));
}

Result<std::unique_ptr<InstanceStore>> InstanceStore::open_to_read(const std::filesystem::path& file) {
    auto impl = std::make_unique<Impl>();
    impl->file = file;
    DIVISI_ASSIGN(impl->database, open_read_only(file));
    DIVISI_TRY(impl->check_sound());
    DIVISI_TRY(check_schema(*impl->database, instance_schema, file));
    return std::unique_ptr<InstanceStore>(new InstanceStore(std::move(impl)));
}

// --- writing ------------------------------------------------------------------------------------

void InstanceStore::Impl::put(const Progress& row) {
    put("progress",
        {std::int64_t{1}, self, static_cast<std::int64_t>(row.generation), row.step, row.samples, ns(row.time)});
}

void InstanceStore::Impl::put(const Deployment& row) {
    database->exec("DELETE FROM configuration");
    database->exec("DELETE FROM dependency");
    put("deployment", {std::int64_t{1}, self, static_cast<std::int64_t>(row.generation), ns(row.time)});
    for (const auto& [name, value] : row.configuration) put("configuration", {name, value});
    for (const std::string& instance : row.dependencies) put("dependency", {instance});
}

void InstanceStore::Impl::put(const Hardware& row) {
    for (const auto& [name, value] : row.parameters) put("hardware", {name, self, value, ns(row.time)});
}

void InstanceStore::Impl::put(const StepRow& row) {
    put("step", {static_cast<std::int64_t>(row.generation), row.step, self, ns(row.time), row.duration_ms,
                 row.loss ? Cell(*row.loss) : Cell()});
}

void InstanceStore::Impl::put(const EventRow& row) {
    put("event", {next_event++, self, ns(row.time), row.what, row.detail});
}

void InstanceStore::Impl::put(const OrderRow& row) {
    put("audit", {next_order++, self, ns(row.time), row.from, row.order, row.detail});
}

void InstanceStore::Impl::trim() {
    const auto number = [](std::int64_t value) { return std::to_string(value); };
    database->exec("DELETE FROM step WHERE step % " + number(thinned_steps) +
                   " != 0 AND step <= (SELECT max(step) FROM step) - " + number(whole_steps));
    database->exec(
        "DELETE FROM step WHERE (generation, step) IN (SELECT generation, step FROM step"
        " ORDER BY generation DESC, step DESC LIMIT -1 OFFSET " +
        number(most_step_rows) + ")");
    for (const char* table : {"event", "audit"})
        database->exec(std::string("DELETE FROM ") + table + " WHERE id <= (SELECT max(id) FROM " + table + ") - " +
                       number(most_event_rows));
}

Result<void> InstanceStore::write(std::span<const Entry> entries) {
    const std::int64_t event = impl_->next_event, order = impl_->next_order;
    auto written = impl_->guarded([&]() -> Result<void> {
        SQLite::Transaction transaction(*impl_->database, SQLite::TransactionBehavior::IMMEDIATE);
        const std::int64_t owner = impl_->database->execAndGet("SELECT incarnation FROM identity").getInt64();
        if (owner != impl_->self)
            return make_error(error_text("write-of-older-incarnation"), impl_->file.string(),
                              {std::to_string(owner), std::to_string(impl_->self)});
        for (const Entry& entry : entries) visit([&](const auto& row) { impl_->put(row); }, entry);
        impl_->since_trim += static_cast<std::int64_t>(entries.size());
        if (impl_->since_trim >= trim_every) impl_->trim();
        transaction.commit();
        return {};
    });
    if (!written) {
        impl_->next_event = event;
        impl_->next_order = order;
    } else if (impl_->since_trim >= trim_every) {
        impl_->since_trim = 0;
    }
    return written;
}

// --- reading ------------------------------------------------------------------------------------

Result<InstanceStore::Identity> InstanceStore::identity() const {
    DIVISI_ASSIGN(auto rows, impl_->select("identity", "", identity_of));
    if (!rows.empty()) return std::move(rows.front());
    return make_error(error_text("store-without-owner"), impl_->file.string());
}

Result<std::optional<Written<Progress>>> InstanceStore::progress() const {
    DIVISI_ASSIGN(auto rows, impl_->select("progress", "", progress_of));
    return rows.empty() ? std::nullopt : std::optional(rows.front());
}

Result<std::optional<Written<Deployment>>> InstanceStore::deployment() const {
    using Found = std::optional<Written<Deployment>>;
    const auto all = [](const Cells& row) { return row; };
    return impl_->guarded([&]() -> Result<Found> {
        const SQLite::Transaction transaction(*impl_->database);  // read the three tables in one transaction
        DIVISI_ASSIGN(const auto rows, impl_->select("deployment", "", all));
        if (rows.empty()) return Found();
        const Cells& row = rows.front();
        Written<Deployment> found{incarnation(row[1]), {generation(row[2]), time_at(row[3]), {}, {}}};
        DIVISI_ASSIGN(const auto pairs, impl_->select("configuration", "", all));
        for (const Cells& pair : pairs) found.row.configuration[text(pair[0])] = text(pair[1]);
        DIVISI_ASSIGN(const auto others, impl_->select("dependency", "ORDER BY instance", all));
        for (const Cells& other : others) found.row.dependencies.push_back(text(other[0]));
        return Found(std::move(found));
    });
}

Result<std::map<std::string, Written<std::string>>> InstanceStore::hardware() const {
    DIVISI_ASSIGN(const auto rows, impl_->select("hardware", "", [](const Cells& row) { return row; }));
    std::map<std::string, Written<std::string>> found;
    for (const Cells& row : rows) found[text(row[0])] = {incarnation(row[1]), text(row[2])};
    return found;
}

Result<std::vector<Written<StepRow>>> InstanceStore::steps(std::int64_t limit) const {
    return impl_->newest("step", "generation DESC, step DESC", limit, step_of);
}

Result<std::vector<Written<EventRow>>> InstanceStore::events(std::int64_t limit) const {
    return impl_->newest("event", "id DESC", limit, event_of);
}

Result<std::vector<Written<OrderRow>>> InstanceStore::orders(std::int64_t limit) const {
    return impl_->newest("audit", "id DESC", limit, order_of);
}

Result<RowPage> InstanceStore::rows(const std::string& table, std::int64_t before, const PageBounds& bounds) const {
    if (std::ranges::find(tables, table) == std::end(tables)) {
        std::string names;
        for (const char* name : tables) names += (names.empty() ? "" : ", ") + std::string(name);
        return make_error(error_text("no-table-of-store"), impl_->file.string(), {table, names});
    }
    return impl_->guarded([&]() -> Result<RowPage> { return newest_rows(*impl_->database, table, before, bounds); });
}

}  // namespace divisi::store
