// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/result.h"

namespace divisi::bench {

/// One measured training of a GPT on A100 GPUs of one machine: Bang et al., vTrain, MICRO 2024.
struct Row {
    std::int32_t gpus = 0, global_batch = 0, microbatch = 0;  ///< samples
    std::int32_t hidden = 0, heads = 0, layers = 0, sequence = 0;
    std::int32_t tensor = 0, data = 0, pipeline = 0;  ///< degrees of parallelism
    double iteration_s = 0;

    std::int32_t microbatches() const { return global_batch / (data * microbatch); }
    std::int32_t stage_layers() const { return layers / pipeline; }
    double tokens() const { return static_cast<double>(microbatch) * sequence; }  ///< tokens of a micro-batch
};

/// Reads ground_truth_single.csv: a line of names, then eleven numbers per line. Fails with not_found if the file is
/// missing. Fails with invalid_input and the line if a training cannot be laid out evenly.
Result<std::vector<Row>> read_rows(const std::string& path);

/// Shuffles the rows into an order that depends only on the seed.
void shuffle(std::vector<Row>& rows, std::uint32_t seed);

}  // namespace divisi::bench
