// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/tensor.h"
#include "backend/plan/training_graph.h"

namespace divisi::instance {

/// Figures of one head of a batch task over some samples.
struct Score {
    double loss = 0;                   ///< mean loss over the samples
    std::optional<double> accuracy{};  ///< share of correct answers, for classification
};

/// One head's output for some samples. Rows after the last sample only pad the micro-batch.
struct HeadResult {
    graph::HostTensor output;  ///< output values, with shape [rows, ...]
    /// label of each sample: int64 [rows, ...]; mse: same shape as the output; none: the data have no labels
    std::optional<graph::HostTensor> label;
};

/// Writes the results file of a batch task: CSV as in RFC 4180, a line for each sample in the order of the data. The
/// columns are `sample` (from 0) and, for each head, `prediction`. The prediction is the class with the highest score
/// (the first class if several are equal) or, for mse, the value. With labels, there are also the columns `target` and
/// `loss`, and `output` if requested.
///
/// With several heads, the columns are called HEAD.prediction. A field with several numbers separates them by spaces.
/// Floating-point numbers have enough digits to read back as the same bits.
class Results {
public:
    static Result<Results> create(const std::filesystem::path& file, const std::vector<plan::Head>& heads, bool several,
                                  bool labels, bool outputs);

    /// Adds the next `count` samples, with one result per head; only `count` of the tensors' rows are samples. Returns
    /// the score of each head; none without labels. Fails on a full disk, and (corrupt) if a tensor does not have its
    /// head's form.
    Result<std::vector<Score>> add(const std::vector<HeadResult>& heads, std::int64_t count);
    /// Returns the scores over all samples so far.
    std::vector<Score> totals() const;
    std::int64_t samples() const { return samples_; }
    /// Closes the file; no more results can be added.
    Result<void> close();

private:
    struct Sums {
        double loss = 0;
        std::int64_t right = 0, positions = 0, samples = 0;
        Score score(plan::Loss kind) const;
    };

    Results(std::filesystem::path file, std::vector<plan::Loss> kinds, bool outputs);
    Error write_error() const;

    std::filesystem::path file_;
    std::vector<plan::Loss> kinds_;  ///< kind of loss of each head
    bool outputs_;
    std::ofstream stream_;
    std::int64_t samples_ = 0;
    std::vector<Sums> sums_;  ///< sums of each head
};

}  // namespace divisi::instance
