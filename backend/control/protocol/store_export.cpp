// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/store_export.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "backend/base/csv.h"
#include "backend/control/types/error_texts.h"
#include "backend/control/types/json_lines.h"

namespace divisi::control::inline protocol {
namespace {

/// Returns the number with the fewest digits that give exactly this number when read back.
std::string shortest(double value) {
    if (!std::isfinite(value)) return nonfinite_name(value);
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value);
    return {text, end.ptr};
}

std::string cell_json(const StoreCell& cell) {
    if (cell.whole) return std::to_string(*cell.whole);
    if (cell.real)
        return std::isfinite(*cell.real) ? shortest(*cell.real) : control::quoted(nonfinite_name(*cell.real));
    return cell.text ? control::quoted(*cell.text) : "null";
}

Error other_cells(const NodeId& node) { return make_error(error_text("store-row-mismatch"), node.value()); }

}  // namespace

const std::vector<std::string>& store_tables() {
    static const std::vector<std::string> tables{"identity", "progress", "deployment", "configuration", "dependency",
                                                 "hardware", "step",     "event",      "audit"};
    return tables;
}

StoreReading::StoreReading(NodeId node, Sid sid, std::vector<std::string> tables)
    : node_(std::move(node)), sid_(std::move(sid)), names_(std::move(tables)) {}

ReadStore StoreReading::next() const {
    return {node_, sid_, names_[at_], before_, static_cast<std::int64_t>(most_page_rows)};
}

Result<void> StoreReading::take(StorePage page) {
    if (page.error) return *page.error;
    if (done()) return {};
    for (const StoreRow& row : page.rows)
        if (row.cells.size() != page.columns.size()) return other_cells(node_);
    if (before_ != 0 && (page.columns != now_.columns || page.before >= before_)) return other_cells(node_);
    now_.name = names_[at_];
    now_.columns = std::move(page.columns);
    std::move(page.rows.begin(), page.rows.end(), std::back_inserter(now_.rows));
    damaged_ += page.damaged;
    before_ = page.before;
    if (before_ != 0) return {};
    std::ranges::reverse(now_.rows);
    tables_.push_back(std::exchange(now_, {}));
    ++at_;
    return {};
}

std::int64_t StoreReading::rows() const {
    std::size_t rows = 0;
    for (const StoreTable& table : tables_) rows += table.rows.size();
    return static_cast<std::int64_t>(rows);
}

StoreFormat store_format_of(const std::filesystem::path& file) {
    return file.extension() == ".csv" ? StoreFormat::csv : StoreFormat::json_lines;
}

std::string cell_text(const StoreCell& cell) {
    if (cell.whole) return std::to_string(*cell.whole);
    if (cell.real) return shortest(*cell.real);
    return cell.text.value_or("");
}

std::string store_json(const StoreReading& read) {
    const std::string owner = "{\"node\":" + control::quoted(read.node().value()) +
                              ",\"sid\":" + control::quoted(read.sid().value()) + ",\"table\":";
    std::string text;
    for (const StoreTable& table : read.tables()) {
        for (const StoreRow& row : table.rows) {
            text += owner + control::quoted(table.name) + ",\"row\":{";
            for (std::size_t i = 0; i < row.cells.size(); ++i)
                text += (i == 0 ? "" : ",") + control::quoted(table.columns[i]) + ":" + cell_json(row.cells[i]);
            text += "}}\n";
        }
    }
    return text;
}

std::string store_csv(const StoreTable& table) {
    std::string text = csv_line(table.columns) + "\r\n";
    for (const StoreRow& row : table.rows) {
        std::vector<std::string> fields;
        for (const StoreCell& cell : row.cells) fields.push_back(cell_text(cell));
        text += csv_line(fields) + "\r\n";
    }
    return text;
}

}  // namespace divisi::control::inline protocol
