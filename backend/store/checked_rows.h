// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/store/row_page.h"

namespace divisi::store {

/// Inserts a row; the last column holds a checksum of the table's name and of all values. A row whose bytes have
/// changed on the disk is thus detected when it is read, and so is a row copied from another table. Throws
/// SQLite::Exception, as the library does; the callers convert it to an Error.
void put_row(SQLite::Database& database, const char* table, std::vector<Cell> cells);

/// Returns the rows of "SELECT * FROM table " + `rest`, without their checksums. Fails with `corrupt` and the table and
/// row of the first damaged one.
Result<std::vector<std::vector<Cell>>> checked_rows(SQLite::Database& database, const std::string& table,
                                                    const std::string& rest, const std::string& where);

/// Returns the newest rows of a table before the row `before`, with which the previous page ended (0: from the newest).
/// Damaged rows are left out and counted.
RowPage newest_rows(SQLite::Database& database, const std::string& table, std::int64_t before,
                    const PageBounds& bounds);

}  // namespace divisi::store
