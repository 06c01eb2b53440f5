// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agents/data/dataset.h"
#include "agents/data/file.h"

namespace divisi::data {

/// Class numbers of one target column: integers stand for themselves, anything else is numbered by name.
struct ClassNames {
    std::map<std::string, std::int64_t> numbers;
    std::int64_t count = 0;  ///< highest class plus one
};

/// One target column, as class numbers or as values.
struct CsvTarget {
    std::size_t column = 0;  ///< position in CsvTable::header
    Targets form = Targets::classes;
    std::vector<float> values;          ///< [rows]
    std::vector<std::int64_t> classes;  ///< [rows]
    ClassNames names;
};

/// A CSV file in memory: numeric features and targets.
struct CsvTable {
    std::vector<std::string> header;
    std::vector<std::size_t> feature_columns;  ///< positions in `header`
    std::vector<CsvTarget> targets;  ///< in the order of DatasetSpec::targets, without those that no head reads
    std::int64_t rows = 0;
    std::vector<float> features;  ///< [rows, features]
};

/// Reads and checks a whole file. With `training` (a table of the same data set) the header and the class
/// names must be its own. Errors name file and line, and for a missing column the columns there are.
Result<CsvTable> read_csv_table(const std::string& path, const DatasetSpec& spec, const CsvTable* training);

}  // namespace divisi::data
