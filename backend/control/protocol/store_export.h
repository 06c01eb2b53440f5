// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "backend/control/types/store_types.h"

namespace divisi::control::inline protocol {

// A part of a state store, read page by page and written down for other programs.

/// Tables of a state store, as ReadStore names them.
const std::vector<std::string>& store_tables();
/// Columns of this ending are nanoseconds since 1970.
inline constexpr std::string_view store_time_ending = "_ns";

/// Rows of one table, the oldest first; each has as many cells as there are columns.
struct StoreTable {
    std::string name;
    std::vector<std::string> columns;
    std::vector<StoreRow> rows;
};

/// Reads whole tables: who asks hands the answer to each next() to take(), until done().
class StoreReading {
public:
    StoreReading(NodeId node, Sid sid, std::vector<std::string> tables);

    bool done() const { return at_ >= names_.size(); }
    /// Of the tables that are not read yet; only while not done().
    ReadStore next() const;
    /// Fails as the page says, and (corrupt) where a row has other cells than columns, or the pages do not go on.
    Result<void> take(StorePage page);

    const NodeId& node() const { return node_; }
    const Sid& sid() const { return sid_; }
    /// Those that are read whole.
    const std::vector<StoreTable>& tables() const { return tables_; }
    std::int64_t rows() const;
    /// Rows that were left out because their checksums are wrong.
    std::int64_t damaged() const { return damaged_; }

private:
    NodeId node_;
    Sid sid_;
    std::vector<std::string> names_;
    std::size_t at_ = 0;       ///< in `names_`
    std::int64_t before_ = 0;  ///< of the table that is read now
    StoreTable now_;           ///< the newest first
    std::vector<StoreTable> tables_;
    std::int64_t damaged_ = 0;
};

enum class StoreFormat : std::uint8_t { json_lines, csv };
/// ".csv" is CSV, whatever else JSON lines.
StoreFormat store_format_of(const std::filesystem::path& file);

/// {"node":"..","sid":"..","table":"step","row":{"step":3,"loss":2.25,...}} for each row, as `divisictl stores show
/// --json` prints it. NULL is null; a number that is none is a string (nonfinite_name()).
std::string store_json(const StoreReading& read);
/// The columns' names, then a line for each row (csv_line()); NULL is empty.
std::string store_csv(const StoreTable& table);
/// A cell as it is in both: numbers so that they are read back the same.
std::string cell_text(const StoreCell& cell);

}  // namespace divisi::control::inline protocol
