// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace divisi::store {

/// One value of a row; monostate for NULL.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

/// Limits of a page. A page ends as soon as it reaches one of the limits. One more row is read to detect whether a next
/// page exists.
struct PageBounds {
    std::size_t rows = 0;
    std::size_t bytes = 0;
};

/// Rows of a table, newest first.
struct RowPage {
    std::vector<std::string> columns;
    std::vector<std::vector<Cell>> rows;
    std::size_t damaged = 0;  ///< rows left out because of wrong checksums
    std::int64_t before = 0;  ///< start of the next page; 0: there is none
};

}  // namespace divisi::store
