// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/store/row_page.h"

namespace divisi::store {

/// Inserts a row; the last column holds a checksum of the table's name and of all values. When a row is read, the
/// checksum reveals changed bytes, and a row that was copied from another table. Throws SQLite::Exception, as the
/// library does; the callers convert it to an Error.
void put_row(SQLite::Database& database, const char* table, std::vector<Cell> cells);

/// Returns the rows of "SELECT * FROM table " + `rest`, without their checksums. Fails with `corrupt`, naming the table
/// and the first damaged row.
Result<std::vector<std::vector<Cell>>> checked_rows(SQLite::Database& database, const std::string& table,
                                                    const std::string& rest, const std::string& where);

/// Returns the newest rows of a table before the row `before`, at which the previous page ended (0: from the newest
/// row). Damaged rows are left out and counted.
RowPage newest_rows(SQLite::Database& database, const std::string& table, std::int64_t before,
                    const PageBounds& bounds);

}  // namespace divisi::store
