// SPDX-License-Identifier: Apache-2.0
#include "backend/store/checked_rows.h"

#include <bit>
#include <limits>

#include "backend/base/hash.h"
#include "backend/store/error_texts.h"

namespace divisi::store {
namespace {

std::uint64_t add(std::uint64_t key, const Cell& cell) {
    key = mix(key, cell.index());
    if (const auto* whole = get_if<std::int64_t>(&cell)) return mix(key, static_cast<std::uint64_t>(*whole));
    if (const auto* real = get_if<double>(&cell)) return mix(key, std::bit_cast<std::uint64_t>(*real));
    if (const auto* text = get_if<std::string>(&cell)) return mix(key, fnv1a(*text));
    return key;
}

std::int64_t row_checksum(const std::string& table, const std::vector<Cell>& cells) {
    std::uint64_t key = fnv1a(table);
    for (const Cell& cell : cells) key = add(key, cell);
    return static_cast<std::int64_t>(key);
}

void bind_cell(SQLite::Statement& statement, int index, const Cell& cell) {
    if (const auto* whole = get_if<std::int64_t>(&cell)) statement.bind(index, *whole);
    else if (const auto* real = get_if<double>(&cell)) statement.bind(index, *real);
    else if (const auto* text = get_if<std::string>(&cell)) statement.bind(index, *text);
    else statement.bind(index);
}

Cell cell_in_column(const SQLite::Column& column) {
    if (column.isInteger()) return column.getInt64();
    if (column.isFloat()) return column.getDouble();
    if (column.isNull()) return std::monostate();
    return column.getString();
}

std::size_t size_of_cells(const std::vector<Cell>& cells) {
    std::size_t bytes = 0;
    for (const Cell& cell : cells) {
        const auto* text = get_if<std::string>(&cell);
        bytes += sizeof(std::int64_t) + (text ? text->size() : 0);
    }
    return bytes;
}

}  // namespace

void put_row(SQLite::Database& database, const char* table, std::vector<Cell> cells) {
    cells.emplace_back(row_checksum(table, cells));
    std::string sql = std::string("INSERT OR REPLACE INTO ") + table + " VALUES (?";
    for (std::size_t i = 1; i < cells.size(); ++i) sql += ", ?";
    SQLite::Statement statement(database, sql + ")");
    for (std::size_t i = 0; i < cells.size(); ++i) bind_cell(statement, static_cast<int>(i) + 1, cells[i]);
    statement.exec();
}

Result<std::vector<std::vector<Cell>>> checked_rows(SQLite::Database& database, const std::string& table,
                                                    const std::string& rest, const std::string& where) {
    SQLite::Statement statement(database, "SELECT * FROM " + table + " " + rest);
    std::vector<std::vector<Cell>> rows;
    while (statement.executeStep()) {
        std::vector<Cell>& cells = rows.emplace_back();
        for (int i = 0; i + 1 < statement.getColumnCount(); ++i)
            cells.push_back(cell_in_column(statement.getColumn(i)));
        const Cell sum = cell_in_column(statement.getColumn(statement.getColumnCount() - 1));
        if (sum != Cell(row_checksum(table, cells)))
            return make_error(error_text("table-row-damaged"), where, {std::to_string(rows.size()), table});
    }
    return rows;
}

RowPage newest_rows(SQLite::Database& database, const std::string& table, std::int64_t before,
                    const PageBounds& bounds) {
    SQLite::Statement select(database, "SELECT rowid, * FROM " + table + " WHERE rowid < ? ORDER BY rowid DESC");
    select.bind(1, before > 0 ? before : std::numeric_limits<std::int64_t>::max());
    RowPage page;
    const int last = select.getColumnCount() - 1;
    for (int i = 1; i < last; ++i) page.columns.emplace_back(select.getColumnName(i));
    std::size_t seen = 0, bytes = 0;
    std::int64_t row = 0;
    while (select.executeStep()) {
        if (seen == bounds.rows || bytes >= bounds.bytes) {
            page.before = row;
            break;
        }
        ++seen;
        row = select.getColumn(0).getInt64();
        std::vector<Cell> cells;
        for (int i = 1; i < last; ++i) cells.push_back(cell_in_column(select.getColumn(i)));
        bytes += size_of_cells(cells);
        if (cell_in_column(select.getColumn(last)) == Cell(row_checksum(table, cells)))
            page.rows.push_back(std::move(cells));
        else ++page.damaged;
    }
    return page;
}

}  // namespace divisi::store
