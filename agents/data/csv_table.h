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

/// A CSV file in memory: numeric features, and targets as class numbers or as values.
struct CsvTable {
    std::vector<std::string> header;
    std::vector<std::size_t> feature_columns;  ///< positions in `header`
    std::vector<std::size_t> target_columns;   ///< in the order of DatasetSpec::targets
    std::int64_t rows = 0;
    std::vector<float> features;                     ///< [rows, features]
    std::vector<float> values;                       ///< [rows, targets], target_form values
    std::vector<std::vector<std::int64_t>> classes;  ///< one [rows] per target, target_form classes
    std::vector<ClassNames> class_names;             ///< one per target, target_form classes
};

/// Reads and checks a whole file. With `training` (a table of the same data set) the header and the class
/// names must be its own. Errors name file and line, and for a missing column the columns there are.
Result<CsvTable> read_csv_table(const std::string& path, const DatasetSpec& spec, const CsvTable* training);

}  // namespace divisi::data
