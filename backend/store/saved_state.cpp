// SPDX-License-Identifier: Apache-2.0
#include "backend/store/saved_state.h"

#include <sodium.h>

#include <algorithm>

#include "backend/control/protocol/state_messages.h"
#include "backend/store/error_texts.h"

namespace divisi::store {
namespace {

/// Version of the pages. It increases when older pages would be misread, but not when fields are only added.
constexpr int state_version = 1;
constexpr std::size_t checksum_bytes = 16;

std::string checksum(const void* bytes, std::size_t size) {
    std::string sum(checksum_bytes, '\0');
    crypto_generichash(reinterpret_cast<unsigned char*>(sum.data()), sum.size(),
                       static_cast<const unsigned char*>(bytes), size, nullptr, 0);
    return sum;
}

Result<control::ClusterState> load(SQLite::Database& database, const EventCodec& codec, std::int64_t sequence) {
    SQLite::Statement select(database, "SELECT version, checksum, body FROM state WHERE sequence = ? ORDER BY page");
    select.bind(1, sequence);
    control::Snapshot whole;
    bool any = false;
    while (select.executeStep()) {
        if (select.getColumn(0).getInt() != state_version)
            return make_error(error_text("saved-state-of-other-format"), "events.sqlite",
                              {select.getColumn(0).getString(), std::to_string(state_version)});
        const SQLite::Column sum = select.getColumn(1), body = select.getColumn(2);
        const auto size = static_cast<std::size_t>(body.getBytes());
        if (sum.getString() != checksum(body.getBlob(), size))
            return make_error(error_text("saved-state-damaged"), "events.sqlite");
        DIVISI_ASSIGN(auto page, codec.decode_page({static_cast<const std::byte*>(body.getBlob()), size}));
        DIVISI_TRY(control::add_page(whole, std::move(page)));
        any = true;
    }
    if (!any || whole.more) return make_error(error_text("saved-state-without-pages"), "events.sqlite");
    return std::move(whole.state);
}

}  // namespace

const char* const saved_state_schema =
    "CREATE TABLE IF NOT EXISTS state (sequence INTEGER NOT NULL, page INTEGER NOT NULL, version INTEGER NOT NULL,"
    " checksum BLOB NOT NULL, body BLOB NOT NULL, PRIMARY KEY (sequence, page)) STRICT;";

Result<std::vector<SavedPage>> encode_state(const EventCodec& codec, const control::ClusterState& state) {
    std::vector<SavedPage> pages;
    for (const control::Snapshot& page : control::snapshot_pages(state, {})) {
        DIVISI_ASSIGN(std::string bytes, codec.encode_page(page));
        std::string sum = checksum(bytes.data(), bytes.size());
        pages.push_back({page.page, std::move(bytes), std::move(sum)});
    }
    std::reverse(pages.begin(), pages.end());
    return pages;
}

void write_page(SQLite::Database& database, std::uint64_t sequence, const SavedPage& page) {
    SQLite::Statement insert(database, "INSERT OR REPLACE INTO state VALUES (?,?,?,?,?)");
    insert.bind(1, static_cast<std::int64_t>(sequence));
    insert.bind(2, static_cast<std::int64_t>(page.number));
    insert.bind(3, state_version);
    insert.bind(4, page.checksum.data(), static_cast<int>(page.checksum.size()));
    insert.bind(5, page.bytes.data(), static_cast<int>(page.bytes.size()));
    insert.exec();
}

void remove_older_states(SQLite::Database& database) {
    database.exec(
        "DELETE FROM state WHERE sequence < (SELECT min(sequence) FROM"
        " (SELECT sequence FROM state WHERE page = 0 ORDER BY sequence DESC LIMIT 2))");
}

std::optional<control::ClusterState> load_state(SQLite::Database& database, const EventCodec& codec,
                                                std::vector<control::Finding>& findings) {
    std::vector<std::int64_t> kept;
    SQLite::Statement select(database, "SELECT sequence FROM state WHERE page = 0 ORDER BY sequence DESC");
    while (select.executeStep()) kept.push_back(select.getColumn(0).getInt64());
    for (const std::int64_t sequence : kept) {
        auto state = load(database, codec, sequence);
        if (state) return *std::move(state);
        findings.push_back(
            {static_cast<std::uint64_t>(sequence),
             {},
             {},
             "the state saved at event " + std::to_string(sequence) + " cannot be read: " + state.error().message()});
    }
    return std::nullopt;
}

void remove_states_after(SQLite::Database& database, std::uint64_t sequence) {
    SQLite::Statement remove(database, "DELETE FROM state WHERE sequence > ?");
    remove.bind(1, static_cast<std::int64_t>(sequence));
    remove.exec();
}

std::uint64_t older_state(SQLite::Database& database) {
    SQLite::Statement select(database, "SELECT count(*), min(sequence) FROM state WHERE page = 0");
    if (!select.executeStep() || select.getColumn(0).getInt() < 2) return 0;
    return static_cast<std::uint64_t>(select.getColumn(1).getInt64());
}

}  // namespace divisi::store
