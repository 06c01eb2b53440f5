// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agents/data/csv_labels.h"
#include "agents/data/dataset.h"

namespace divisi::data {

/// A table with rows of `width` elements. Appending does not move existing elements. The table needs the memory of the
/// elements plus at most one block, even while it grows.
template <typename T>
class Rows {
public:
    explicit Rows(std::size_t width = 1)
        : width_(std::max<std::size_t>(width, 1)), block_rows_(std::max<std::size_t>(block_elements / width_, 1)) {}

    /// Appends the next element of the current row; after a row's last element, a new row begins.
    void append(T element) {
        const std::size_t in_block = count_ % (block_rows_ * width_);
        if (in_block == 0) blocks_.push_back(std::make_unique_for_overwrite<T[]>(block_rows_ * width_));
        blocks_.back()[in_block] = element;
        ++count_;
    }
    std::size_t width() const { return width_; }
    std::int64_t size() const { return static_cast<std::int64_t>(count_ / width_); }
    T* row(std::int64_t number) { return at(number); }
    const T* row(std::int64_t number) const { return at(number); }

private:
    static constexpr std::size_t block_elements = std::size_t{1} << 18;  // elements of a block: 1 MiB of float32

    T* at(std::int64_t number) const {
        const auto row = static_cast<std::size_t>(number);
        return blocks_[row / block_rows_].get() + row % block_rows_ * width_;
    }

    std::size_t width_;
    std::size_t block_rows_;
    std::size_t count_ = 0;
    std::vector<std::unique_ptr<T[]>> blocks_;
};

/// One target column, as class numbers or as values.
struct CsvTarget {
    std::size_t column = 0;  ///< position in CsvTable::header
    Targets form = Targets::classes;
    Rows<float> values;
    Rows<std::int32_t> classes;
    ClassNames names;
};

/// A CSV file in memory: numeric features and targets, four bytes per number.
struct CsvTable {
    std::vector<std::string> header;
    std::vector<std::size_t> feature_columns;  ///< positions in `header`
    std::vector<CsvTarget> targets;  ///< in the order of DatasetSpec::targets, without targets that no head reads
    std::int64_t rows = 0;
    Rows<float> features;
};

/// Reads and checks a whole file. If `training` is given (a table of the same data set), the header and class names
/// must match it. Errors name file, line and column; for a missing column they list the existing columns.
Result<CsvTable> read_csv_table(const std::string& path, const DatasetSpec& spec, const CsvTable* training);

}  // namespace divisi::data
