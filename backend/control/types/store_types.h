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

// State stores of instances (store/instance_store.h) lie on nodes. Whoever watches asks the orchestrator, which passes
// the question to the node and its answer back; it keeps nothing of either.

/// A store on a node, by what its file says of itself.
struct StoreView {
    std::string file;             ///< its name in the node's folder of stores
    Sid sid;                      ///< empty where the file does not say it
    Incarnation incarnation = 0;  ///< of its newest writer
    Generation generation = 0;    ///< of its last step
    std::int64_t step = 0;        ///< the last that is finished; 0: none
    Bytes size = 0;
    TimePoint written{};               ///< when the file was written to last
    std::optional<Error> damage = {};  ///< why it cannot be read, or not all of it
};
/// One value of a row: one of the three, or none for NULL.
struct StoreCell {
    std::optional<std::int64_t> whole = {};
    std::optional<double> real = {};
    std::optional<std::string> text = {};
    bool operator==(const StoreCell&) const = default;
};
struct StoreRow {
    std::vector<StoreCell> cells;  ///< by column
};

/// Stores of one answer, and the rows and bytes of one page: a page is closed when it has as many of either.
inline constexpr std::size_t most_listed_stores = 200, most_page_rows = 500, most_page_bytes = 256u << 10;

// --- messages ----------------------------------------------------------------------------------

/// From whoever watches, and from the orchestrator to the node: its stores, in the order of their files' names.
/// Answered by StoreList, or by Refused.
struct ListStores {
    NodeId node;
    std::string after;           ///< the last file of the answer before; empty: from the first
    std::uint64_t question = 0;  ///< the orchestrator's number, to the node alone
};
struct StoreList {
    std::uint64_t question = 0;
    std::vector<StoreView> stores;
    bool more = false;
    std::optional<Error> error = {};
};
/// Likewise: rows of one table of a SID's store on this node, the newest first. Answered by StorePage, or by Refused.
struct ReadStore {
    NodeId node;
    Sid sid;
    std::string table;
    std::int64_t before = 0;  ///< as the page before says; 0: the newest
    std::int64_t limit = 0;   ///< how many rows at most
    std::uint64_t question = 0;
};
struct StorePage {
    std::uint64_t question = 0;
    Incarnation incarnation = 0;  ///< of the store's newest writer
    std::vector<std::string> columns;
    std::vector<StoreRow> rows;
    std::int64_t damaged = 0;  ///< rows that were left out because their checksums are wrong
    std::int64_t before = 0;   ///< where the next page goes on; 0: there is none
    std::optional<Error> error = {};
};

}  // namespace divisi::control::inline types
