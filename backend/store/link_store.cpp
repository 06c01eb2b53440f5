// SPDX-License-Identifier: Apache-2.0
#include "backend/store/link_store.h"

#include <cmath>

#include "backend/store/database.h"
#include "backend/store/error_texts.h"

namespace divisi::store {
namespace {

constexpr const char* link_schema =
    "CREATE TABLE IF NOT EXISTS link (from_host TEXT NOT NULL, to_host TEXT NOT NULL, transport TEXT NOT NULL,"
    " from_node TEXT NOT NULL, to_node TEXT NOT NULL, latency_s REAL NOT NULL, latency_spread_s REAL NOT NULL,"
    " message_s REAL NOT NULL, bytes_per_s REAL NOT NULL, bytes_spread_per_s REAL NOT NULL,"
    " measured_ns INTEGER NOT NULL, PRIMARY KEY (from_host, to_host, transport)) STRICT;";

control::LinkTransport transport_of(const std::string& text) {
    for (const auto transport : {control::LinkTransport::tcp, control::LinkTransport::mesh})
        if (text == to_string(transport)) return transport;
    return control::LinkTransport::ipc;
}

bool usable(const control::LinkFigures& figures) {
    const auto time = [](double value) { return std::isfinite(value) && value >= 0; };
    return time(figures.latency_s) && time(figures.message_s) && std::isfinite(figures.bytes_per_s) &&
           figures.bytes_per_s > 0;
}

}  // namespace

LinkStore::~LinkStore() = default;

Result<std::unique_ptr<LinkStore>> LinkStore::open(const std::filesystem::path& file) {
    std::unique_ptr<LinkStore> store(new LinkStore());
    store->file_ = file;
    DIVISI_ASSIGN(store->database_, open_database(file, Durability::full));
    try {
        store->database_->exec(link_schema);
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file);
    }
    return store;
}

Result<void> LinkStore::save(const control::LinkView& view) {
    const control::LinkMeasured& link = view.link;
    try {
        SQLite::Statement insert(*database_, "INSERT OR REPLACE INTO link VALUES (?,?,?,?,?,?,?,?,?,?,?)");
        insert.bind(1, link.from_host);
        insert.bind(2, link.to_host);
        insert.bind(3, to_string(link.transport));
        insert.bind(4, link.from.value());
        insert.bind(5, link.to.value());
        insert.bind(6, link.figures.latency_s);
        insert.bind(7, link.figures.latency_spread_s);
        insert.bind(8, link.figures.message_s);
        insert.bind(9, link.figures.bytes_per_s);
        insert.bind(10, link.figures.bytes_spread_per_s);
        insert.bind(11, static_cast<std::int64_t>(view.measured.time_since_epoch().count()));
        insert.exec();
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file_);
    }
    return {};
}

Result<std::map<control::LinkKey, control::LinkView>> LinkStore::load() {
    std::map<control::LinkKey, control::LinkView> links;
    try {
        SQLite::Statement rows(*database_, "SELECT * FROM link");
        while (rows.executeStep()) {
            const auto text = [&](int column) { return rows.getColumn(column).getString(); };
            const auto number = [&](int column) { return rows.getColumn(column).getDouble(); };
            control::LinkView view;
            view.link = {
                NodeId(text(3)), NodeId(text(4)),       text(0),
                text(1),         transport_of(text(2)), {number(5), number(6), number(7), number(8), number(9)}};
            view.measured = TimePoint(Duration(rows.getColumn(10).getInt64()));
            if (!usable(view.link.figures))
                return make_error(error_text("link-figures-damaged"), file_.string(),
                                  {view.link.from_host, view.link.to_host});
            links[key_of(view.link)] = std::move(view);
        }
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file_);
    }
    return links;
}

std::map<control::LinkKey, control::LinkView> kept_links(const std::filesystem::path& file) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return {};
    auto store = LinkStore::open(file);
    if (!store) return {};
    auto links = (*store)->load();
    return links ? std::move(*links) : std::map<control::LinkKey, control::LinkView>{};
}

}  // namespace divisi::store
