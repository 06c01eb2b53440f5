// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/base/units.h"

namespace divisi::control::inline types {

// State stores of instances (store/instance_store.h) are on nodes. Clients ask the orchestrator, which passes the
// request to the node and the answer back. The orchestrator stores neither the request nor the answer.

/// A store on a node, as its file describes it.
struct StoreView {
    std::string file;             ///< name of the file in the node's store folder
    Sid sid;                      ///< SID of the store; empty if the file does not name one
    Incarnation incarnation = 0;  ///< incarnation of the store's newest writer
    Generation generation = 0;    ///< generation of the last step in the store
    std::int64_t step = 0;        ///< last completed step; 0: none
    Bytes size = 0;
    TimePoint written{};               ///< time of the last write
    std::optional<Error> damage = {};  ///< why the store cannot be read, or can be read only in part
};
/// One value of a row. One of the three fields is set; for NULL, none is set.
struct StoreCell {
    std::optional<std::int64_t> whole = {};
    std::optional<double> real = {};
    std::optional<std::string> text = {};
    bool operator==(const StoreCell&) const = default;
};
struct StoreRow {
    std::vector<StoreCell> cells;  ///< cells by column
};

/// Maximum number of stores in one answer, and of rows and bytes in one page. A page ends when it reaches either limit.
inline constexpr std::size_t most_listed_stores = 200, most_page_rows = 500, most_page_bytes = 256u << 10;

// --- messages ----------------------------------------------------------------------------------

/// Sent by a client, and by the orchestrator to the node, to list the node's stores by file name. Answered by StoreList
/// or Refused.
struct ListStores {
    using Answer = struct StoreList;
    NodeId node;
    std::string after;           ///< last file of the previous answer; empty: start at the first
    std::uint64_t question = 0;  ///< the orchestrator's number, set only in messages to the node
};
struct StoreList {
    std::uint64_t question = 0;
    std::vector<StoreView> stores;
    bool more = false;
    std::optional<Error> error = {};
};
/// Sent by a client, and by the orchestrator to the node, to read rows of one table in a SID's store, newest first.
/// Answered by StorePage or Refused.
struct ReadStore {
    using Answer = struct StorePage;
    NodeId node;
    Sid sid;
    std::string table;
    std::int64_t before = 0;  ///< StorePage::before of the previous page; 0: the newest
    std::int64_t limit = 0;   ///< maximum number of rows
    std::uint64_t question = 0;
};
struct StorePage {
    std::uint64_t question = 0;
    Incarnation incarnation = 0;  ///< incarnation of the store's newest writer
    std::vector<std::string> columns;
    std::vector<StoreRow> rows;
    std::int64_t damaged = 0;  ///< rows left out because of wrong checksums
    std::int64_t before = 0;   ///< start of the next page; 0: none
    std::optional<Error> error = {};
};

}  // namespace divisi::control::inline types
