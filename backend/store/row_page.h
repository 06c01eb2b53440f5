// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace divisi::store {

/// One value of a row; none for NULL.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

/// How much goes on a page: it is closed when it has as many of either. A row more than that is never read.
struct PageBounds {
    std::size_t rows = 0;
    std::size_t bytes = 0;
};

/// Rows of a table from the newest on.
struct RowPage {
    std::vector<std::string> columns;
    std::vector<std::vector<Cell>> rows;
    std::size_t damaged = 0;  ///< rows that were left out because their checksums are wrong
    std::int64_t before = 0;  ///< where the next page goes on; 0: there is none
};

}  // namespace divisi::store
