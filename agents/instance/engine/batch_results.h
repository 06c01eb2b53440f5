// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "agents/instance/engine/results.h"
#include "backend/task/compile.h"

namespace divisi::instance {

/// Writes the results of a batch task, on the instance that has the outputs, and keeps the scores of the last step.
class BatchResults {
public:
    static Result<BatchResults> create(std::shared_ptr<const task::CompiledPlan> plan,
                                       const std::filesystem::path& file);

    /// Adds the results of a step. `made` contains the stage's outputs (`outputs` tensors), then the results in the
    /// order of segment_config(). Only the first `samples` rows are samples.
    Result<void> add(const std::vector<graph::HostTensor>& made, std::size_t outputs, std::int64_t samples);
    /// Returns the scores of the last step.
    const std::vector<Score>& scores() const { return scores_; }
    /// Closes the file. Returns the scores over all samples; none without labels.
    Result<std::optional<std::vector<Score>>> finish();

private:
    BatchResults(std::shared_ptr<const task::CompiledPlan> plan, Results results)
        : plan_(std::move(plan)), results_(std::move(results)) {}

    std::shared_ptr<const task::CompiledPlan> plan_;
    Results results_;
    std::vector<Score> scores_;
};

}  // namespace divisi::instance
