// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "backend/control/types/store_types.h"

namespace divisi::control::inline protocol {

// Reads parts of a state store page by page and writes them for other programs.

/// Returns the tables of a state store, as ReadStore names them.
const std::vector<std::string>& store_tables();
/// Ending of column names whose values are nanoseconds since 1970.
inline constexpr std::string_view store_time_ending = "_ns";

/// Rows of one table, oldest first. Each row has one cell for each column.
struct StoreTable {
    std::string name;
    std::vector<std::string> columns;
    std::vector<StoreRow> rows;
};

/// Reads whole tables. The caller sends next() and passes the answer to take(), until done().
class StoreReading {
public:
    StoreReading(NodeId node, Sid sid, std::vector<std::string> tables);

    bool done() const { return at_ >= names_.size(); }
    /// Returns the next request, about the tables that are not read yet. Call only while not done().
    ReadStore next() const;
    /// Adds a page. Fails with the page's own error. Fails (corrupt) if a row's cells do not match the columns, or if
    /// the page does not continue the previous page.
    Result<void> take(StorePage page);

    const NodeId& node() const { return node_; }
    const Sid& sid() const { return sid_; }
    /// Returns the tables read completely.
    const std::vector<StoreTable>& tables() const { return tables_; }
    std::int64_t rows() const;
    /// Returns the number of rows left out because of wrong checksums.
    std::int64_t damaged() const { return damaged_; }

private:
    NodeId node_;
    Sid sid_;
    std::vector<std::string> names_;
    std::size_t at_ = 0;       ///< index into `names_`
    std::int64_t before_ = 0;  ///< position from which the next older rows are read
    StoreTable now_;           ///< the current table, newest row first
    std::vector<StoreTable> tables_;
    std::int64_t damaged_ = 0;
};

enum class StoreFormat : std::uint8_t { json_lines, csv };
/// Returns CSV for ".csv", and JSON lines for any other file.
StoreFormat store_format_of(const std::filesystem::path& file);

/// Returns a line for each row, as `divisictl stores show --json` prints it:
/// {"node":"..","sid":"..","table":"step","row":{"step":3,"loss":2.25,...}}. NULL is null. A number that is not finite
/// is a string (nonfinite_name()).
std::string store_json(const StoreReading& read);
/// Returns the column names, then a line for each row (csv_line()). NULL is empty.
std::string store_csv(const StoreTable& table);
/// Returns a cell's text as in CSV. A number can be read back exactly.
std::string cell_text(const StoreCell& cell);

}  // namespace divisi::control::inline protocol
