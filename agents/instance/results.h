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

/// What a batch says of some samples by one head.
struct Score {
    double loss = 0;                   ///< mean over the samples
    std::optional<double> accuracy{};  ///< share of right answers, for classification
};

/// What one head made of some samples; rows beyond those that count fill the micro-batch up.
struct HeadResult {
    graph::HostTensor output;                ///< [rows, ...]
    std::optional<graph::HostTensor> label;  ///< int64 [rows, ...], mse: as the output; none: the data have no labels
};

/// The file of a batch's results: CSV as RFC 4180 has it, a line for each sample in the data's order. Columns are
/// `sample` (from 0), and for each head `prediction` (the class with the highest score, of equal ones the first; mse:
/// the value), `target` and `loss` where there are labels, and `output` if all is asked for. With several heads columns
/// are called HEAD.prediction. A field of several numbers has spaces between them. Floating-point numbers have as many
/// digits as read back to the same bits.
class Results {
public:
    static Result<Results> create(const std::filesystem::path& file, const std::vector<plan::Head>& heads, bool several,
                                  bool labels, bool outputs);

    /// The next `count` samples, one result a head; `count` of the tensors' rows are samples. Scores by head; none
    /// without labels. Fails on a full disk, and (corrupt) on a tensor that is not of its head's form.
    Result<std::vector<Score>> add(const std::vector<HeadResult>& heads, std::int64_t count);
    /// Of all samples so far.
    std::vector<Score> totals() const;
    std::int64_t samples() const { return samples_; }
    /// After it nothing is added.
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
    std::vector<plan::Loss> kinds_;  ///< by head
    bool outputs_;
    std::ofstream stream_;
    std::int64_t samples_ = 0;
    std::vector<Sums> sums_;  ///< by head
};

}  // namespace divisi::instance
