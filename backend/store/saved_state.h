// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>

#include "backend/store/event_log.h"

namespace divisi::store {

// The orchestrator's state as it was at a sequence number, in pages, each with its checksum, in the log's database. The
// first page is written last: a state without it was never finished, and is none. The two newest are kept: where the
// newest cannot be read, the one before it and a longer tail of events give the same.

/// Tables of the log that hold it; to be executed once.
extern const char* const saved_state_schema;

struct SavedPage {
    std::uint32_t number = 0;
    std::string bytes;
    std::string checksum;
};

/// In the order in which they are to be written, the first page last.
Result<std::vector<SavedPage>> encode_state(const EventCodec& codec, const control::ClusterState& state);
/// A transaction of its own.
void write_page(SQLite::Database& database, std::uint64_t sequence, const SavedPage& page);
/// All but the two newest, and what was never finished before those.
void remove_older_states(SQLite::Database& database);
/// The newest that can be read; those that cannot are told in `findings`.
std::optional<control::ClusterState> load_state(SQLite::Database& database, const EventCodec& codec,
                                                std::vector<control::Finding>& findings);
/// Those that cannot be read and that a readable one came before: saving keeps the two newest, and none may be such.
void remove_states_after(SQLite::Database& database, std::uint64_t sequence);
/// Sequence number of the older of the two that are kept: events up to it are needed by neither. 0: none may go.
std::uint64_t older_state(SQLite::Database& database);

}  // namespace divisi::store
