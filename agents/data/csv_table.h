// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agents/data/csv_labels.h"
#include "agents/data/dataset.h"
#include "agents/data/rows.h"

namespace divisi::data {

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
