// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/store/row_page.h"

namespace divisi::store {

/// Rows with a checksum of the table's name and of all their values in the last column. So a row whose bytes have
/// changed on the disk is found when it is read, and so is one that stands in another table.
///
/// Throws SQLite::Exception, as the library does; its callers stand at the adapter's edge.
void put_row(SQLite::Database& database, const char* table, std::vector<Cell> cells);

/// The rows of "SELECT * FROM table " + `rest`, without their checksums. `corrupt` with table and row for the first
/// that is damaged.
Result<std::vector<std::vector<Cell>>> checked_rows(SQLite::Database& database, const std::string& table,
                                                    const std::string& rest, const std::string& where);

/// The rows of a table that were written last, before the one that the page before ended with (0: before none). Those
/// that are damaged are left out and counted.
RowPage newest_rows(SQLite::Database& database, const std::string& table, std::int64_t before,
                    const PageBounds& bounds);

}  // namespace divisi::store
