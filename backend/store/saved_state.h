// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>

#include "backend/store/event_log.h"

namespace divisi::store {

// The orchestrator's state as it was at a sequence number, in pages, each with its checksum, in the log's database. The
// two newest are kept: where the newest cannot be read, the one before it and a longer tail of events give the same.

/// Tables of the log that hold it; to be executed once.
extern const char* const saved_state_schema;

/// Adds it and removes all but the one before it. Inside a transaction.
Result<void> save_state(SQLite::Database& database, const EventCodec& codec, const control::ClusterState& state);
/// The newest that can be read; those that cannot are told in `findings`.
std::optional<control::ClusterState> load_state(SQLite::Database& database, const EventCodec& codec,
                                                std::vector<control::Finding>& findings);
/// Sequence number of the older of the two that are kept: events up to it are needed by neither. 0: none may go.
std::uint64_t older_state(SQLite::Database& database);

}  // namespace divisi::store
