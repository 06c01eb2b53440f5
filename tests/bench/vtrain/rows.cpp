// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/vtrain/rows.h"

#include <fstream>
#include <random>
#include <sstream>
#include <utility>

namespace divisi::bench {

namespace {

bool parse(std::string line, Row& row) {
    for (char& c : line)
        if (c == ',') c = ' ';
    std::istringstream fields(line);
    double iteration_ms = 0;
    fields >> row.gpus >> row.global_batch >> row.microbatch >> row.hidden >> row.heads >> row.layers >> row.sequence >>
        row.tensor >> row.data >> row.pipeline >> iteration_ms;
    row.iteration_s = iteration_ms * 1e-3;
    return !fields.fail();
}

/// Returns whether all stages have the same number of layers and all GPUs the same number of samples.
bool even(const Row& row) {
    for (const std::int32_t value :
         {row.microbatch, row.hidden, row.heads, row.layers, row.sequence, row.tensor, row.data, row.pipeline})
        if (value < 1) return false;
    return row.iteration_s > 0 && row.gpus == row.tensor * row.data * row.pipeline && row.microbatches() > 0 &&
           row.global_batch % (row.data * row.microbatch) == 0 && row.layers % row.pipeline == 0;
}

}  // namespace

Result<std::vector<Row>> read_rows(const std::string& path) {
    std::ifstream file(path);
    if (!file)
        return Error{ErrorCode::not_found, "the measured trainings are not there", path,
                     "name ground_truth_single.csv of github.com/VIA-Research/vTrain as the first argument"};
    std::vector<Row> rows;
    std::string line;
    std::getline(file, line);  // column names
    for (int number = 2; std::getline(file, line); ++number) {
        Row row;
        if (!parse(line, row) || !even(row))
            return Error{ErrorCode::invalid_input, "this is no training on evenly loaded GPUs: " + line,
                         path + ":" + std::to_string(number), "fetch the file anew"};
        rows.push_back(row);
    }
    return rows;
}

void shuffle(std::vector<Row>& rows, std::uint32_t seed) {
    std::mt19937 random(seed);  // not std::shuffle or the distributions, which differ between libraries
    for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random() % i]);
}

}  // namespace divisi::bench
