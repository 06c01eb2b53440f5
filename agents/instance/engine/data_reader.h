// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "agents/data/dataset.h"
#include "backend/frame/demand.h"
#include "backend/plan/interpreter.h"
#include "backend/task/compile.h"

namespace divisi::instance {

/// Reads the data of a task, and runs the operations of the data unit. Not thread-safe.
class DataReader {
public:
    /// Opens the data. Fails if a column that the model needs is missing or has the wrong type or size.
    static Result<DataReader> open(std::shared_ptr<const task::CompiledPlan> plan, const data::DatasetSpec& spec);

    /// Returns the number of micro-batches of one evaluation; none for a batch task.
    std::optional<std::int32_t> evaluation_microbatches() const;
    /// Returns the number of samples of a batch task's data; none for a training.
    std::optional<std::int64_t> batch_samples() const;

    /// Reads one micro-batch. Numbers beyond the micro-batches of a step denote validation data.
    Result<data::Batch> read(const frame::DataPlace& place) const;
    /// Reads the micro-batch of a load operation, which has no outputs. preprocess() returns the tensors.
    Result<std::vector<graph::HostTensor>> load(const plan::Start& start);
    Result<std::vector<graph::HostTensor>> preprocess(const plan::Start& start);

private:
    DataReader(std::shared_ptr<const task::CompiledPlan> plan, std::unique_ptr<const data::Dataset> dataset)
        : plan_(std::move(plan)), dataset_(std::move(dataset)) {}

    std::shared_ptr<const task::CompiledPlan> plan_;
    std::unique_ptr<const data::Dataset> dataset_;
    std::optional<data::Batch> batch_;  ///< batch that was loaded and is not preprocessed yet
};

}  // namespace divisi::instance
