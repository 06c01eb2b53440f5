// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/data_reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "agents/instance/engine/unit_setup.h"

namespace divisi::instance {

using graph::HostTensor;

namespace {

bool is_batch(const task::CompiledPlan& plan) { return plan.programs->length.over_data(); }

/// Checks that a column has the type and, if the model fixes it, the shape of the input that it feeds.
Result<void> check_column(const task::CompiledPlan& plan, const graph::Value& value, const data::Column& column) {
    const auto fail = [&](const std::string& what) {
        return Error{ErrorCode::invalid_input, "column '" + column.name + "' " + what,
                     "model input '" + value.name + "'", "change the data, the model's sizes or [model.inputs]"};
    };
    if (value.dtype != column.dtype)
        return fail("holds " + std::string(graph::name(column.dtype)) + ", but the model takes " +
                    std::string(graph::name(value.dtype)));
    if (!value.shape) return {};
    const auto text = [](const auto& dims) {
        std::string joined = "[";
        for (std::size_t i = 0; i < dims.size(); ++i) joined += (i ? ", " : "") + std::to_string(dims[i]);
        return joined + "]";
    };
    std::vector<std::int64_t> wanted;
    for (const graph::Dim& dim : *value.shape) wanted.push_back(dim.size);
    std::vector<std::int64_t> given{task::microbatch_size(plan.spec)};
    given.insert(given.end(), column.dims.begin(), column.dims.end());
    const bool same = std::equal(wanted.begin(), wanted.end(), given.begin(), given.end(),
                                 [](std::int64_t w, std::int64_t g) { return w < 0 || w == g; });
    if (!same) return fail("has shape " + text(given) + " in a micro-batch, but the model takes " + text(wanted));
    return {};
}

/// Checks that the data have a fitting column for every input of the model.
Result<void> check_columns(const task::CompiledPlan& plan, const data::Dataset& dataset) {
    const auto& graph = plan.graph();
    for (const graph::ValueIndex input : graph.inputs) {
        const std::string column = column_of(plan, input);
        const auto& columns = dataset.columns();
        const auto found =
            std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.name == column; });
        if (found == columns.end()) {
            std::string known;
            for (const data::Column& c : columns) known += (known.empty() ? "" : ", ") + c.name;
            return Error{ErrorCode::invalid_input,
                         "the data have no column '" + column + "' for the model's input '" +
                             graph.values[static_cast<std::size_t>(input)].name + "'",
                         "[model.inputs]", "map it to one of: " + known};
        }
        DIVISI_TRY(check_column(plan, graph.values[static_cast<std::size_t>(input)], *found));
    }
    return {};
}

}  // namespace

Result<DataReader> DataReader::open(std::shared_ptr<const task::CompiledPlan> plan, const data::DatasetSpec& spec) {
    DIVISI_ASSIGN(auto dataset, data::open_dataset(spec));
    DIVISI_TRY(check_columns(*plan, *dataset));
    return DataReader(std::move(plan), std::move(dataset));
}

std::optional<std::int32_t> DataReader::evaluation_microbatches() const {
    if (is_batch(*plan_)) return std::nullopt;
    const task::TaskSpec& spec = plan_->spec;
    std::int64_t batches = dataset_->validation_batches(task::microbatch_size(spec));
    if (spec.train.eval_batches > 0) batches = std::min(batches, spec.train.eval_batches * spec.train.microbatches);
    return static_cast<std::int32_t>(batches);
}

std::optional<std::int64_t> DataReader::batch_samples() const {
    if (!is_batch(*plan_)) return std::nullopt;
    return dataset_->once_samples();
}

Result<std::vector<HostTensor>> DataReader::load(const plan::Start& start) {
    DIVISI_ASSIGN(batch_, read({start.step, start.operation.microbatch}));
    return std::vector<HostTensor>{};
}

/// Micro-batch numbers beyond the last one of a step denote validation data.
Result<data::Batch> DataReader::read(const frame::DataPlace& place) const {
    const std::int64_t rows = task::microbatch_size(plan_->spec);
    const std::int64_t microbatches = plan_->spec.train.microbatches;
    if (is_batch(*plan_)) return dataset_->once((place.step - 1) * rows, rows);
    return place.microbatch < microbatches ? dataset_->microbatch(place.step, place.microbatch, rows)
                                           : dataset_->validation(place.microbatch - microbatches, rows);
}

Result<std::vector<HostTensor>> DataReader::preprocess(const plan::Start& start) {
    std::vector<HostTensor> outputs;
    for (const std::int32_t number : start.operation.outputs) {
        const plan::Channel& channel = plan_->programs->channels[static_cast<std::size_t>(number)];
        outputs.push_back(*batch_->find(column_of(*plan_, channel.value)));
    }
    batch_.reset();
    return outputs;
}

}  // namespace divisi::instance
