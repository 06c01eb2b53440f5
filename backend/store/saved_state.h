// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>

#include "backend/store/event_log.h"

namespace divisi::store {

// The orchestrator's state at a sequence number, in pages with checksums, in the log's database. The first page is
// written last, so a state without it is incomplete and ignored. The two newest states are kept. If the newest state
// cannot be read, the previous state and more events give the same result.

/// SQL that creates the tables for saved states in the log; to be executed once.
extern const char* const saved_state_schema;

struct SavedPage {
    std::uint32_t number = 0;
    std::string bytes;
    std::string checksum;
};

/// Returns the pages in the order in which they must be written, with the first page last.
Result<std::vector<SavedPage>> encode_state(const EventCodec& codec, const control::ClusterState& state);
/// Writes a page in a separate transaction.
void write_page(SQLite::Database& database, std::uint64_t sequence, const SavedPage& page);
/// Keeps the two newest complete states, and removes all states that are older, complete or not.
void remove_older_states(SQLite::Database& database);
/// Returns the newest readable state; reports the unreadable ones in `findings`.
std::optional<control::ClusterState> load_state(SQLite::Database& database, const EventCodec& codec,
                                                std::vector<control::Finding>& findings);
/// Removes unreadable states newer than `sequence`, the newest readable one. Saving keeps only the two newest states,
/// and both must be readable.
void remove_states_after(SQLite::Database& database, std::uint64_t sequence);
/// Returns the sequence number of the older of the two kept states: neither state needs events up to that number. 0: no
/// event may be removed.
std::uint64_t older_state(SQLite::Database& database);

}  // namespace divisi::store
