// SPDX-License-Identifier: Apache-2.0
#include "agents/data/dataset.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "agents/data/source.h"

namespace divisi::data {

const graph::HostTensor* Batch::find(const std::string& column) const {
    const auto found = columns.find(column);
    return found == columns.end() ? nullptr : &found->second;
}

Result<Batch> Slice::gather(std::span<const std::int64_t> samples) const {
    std::vector<std::int64_t> shifted(samples.begin(), samples.end());
    for (auto& sample : shifted) sample += begin_;
    return whole_->gather(shifted);
}

Dataset::Dataset(DatasetSpec spec, std::unique_ptr<const Source> training, std::unique_ptr<const Source> validation)
    : spec_(std::move(spec)), training_(std::move(training)), validation_(std::move(validation)) {}
Dataset::~Dataset() = default;

Permutation Dataset::order_of(std::int64_t epoch) const {
    return {training_->size(), mix(mix(fnv1a("data order"), spec_.seed), static_cast<std::uint64_t>(epoch))};
}

Result<Batch> Dataset::microbatch(std::int64_t step, std::int64_t microbatch, std::int64_t rows) const {
    const std::int64_t size = training_->size();
    const std::int64_t first = (step - 1) * spec_.batch + microbatch * rows;
    std::vector<std::int64_t> samples(static_cast<std::size_t>(rows));
    std::int64_t epoch = first / size;
    Permutation order = order_of(epoch);
    for (std::int64_t row = 0; row < rows; ++row) {
        if ((first + row) / size != epoch) order = order_of(epoch = (first + row) / size);
        samples[static_cast<std::size_t>(row)] = order((first + row) % size);
    }
    return training_->gather(samples);
}

std::int64_t Dataset::validation_batches(std::int64_t rows) const { return validation_samples() / rows; }

Result<Batch> Dataset::validation(std::int64_t index, std::int64_t rows) const {
    if (index < 0 || index >= validation_batches(rows)) {
        return Error{ErrorCode::not_found,
                     "validation batch " + std::to_string(index) + " of " + std::to_string(validation_batches(rows)),
                     spec_.path, ""};
    }
    std::vector<std::int64_t> samples(static_cast<std::size_t>(rows));
    for (std::int64_t row = 0; row < rows; ++row) samples[static_cast<std::size_t>(row)] = index * rows + row;
    return validation_->gather(samples);
}

std::int64_t Dataset::once_samples() const { return (validation_ ? *validation_ : *training_).size(); }

Result<Batch> Dataset::once(std::int64_t first, std::int64_t rows) const {
    std::vector<std::int64_t> samples(static_cast<std::size_t>(rows));
    for (std::int64_t row = 0; row < rows; ++row)
        samples[static_cast<std::size_t>(row)] = std::min(first + row, once_samples() - 1);
    return (validation_ ? *validation_ : *training_).gather(samples);
}

const std::vector<Column>& Dataset::columns() const { return training_->columns(); }
std::int64_t Dataset::classes() const { return training_->classes(); }
std::int64_t Dataset::training_samples() const { return training_->size(); }
std::int64_t Dataset::validation_samples() const { return validation_ ? validation_->size() : 0; }

std::int64_t validation_count(const DatasetSpec& spec, std::int64_t count) {
    return std::llround(spec.validation_share * static_cast<double>(count));
}

Parts split(const DatasetSpec& spec, std::unique_ptr<const Source> whole) {
    const std::int64_t kept_back = validation_count(spec, whole->size());
    if (kept_back == 0) return {std::move(whole), nullptr};
    const std::int64_t training = whole->size() - kept_back;
    const std::shared_ptr<const Source> shared = std::move(whole);
    return {std::make_unique<Slice>(shared, 0, training), std::make_unique<Slice>(shared, training, kept_back)};
}

std::string format_dims(const std::vector<std::int64_t>& dims) {
    std::string text;
    for (const auto dim : dims) text += (text.empty() ? "" : "x") + std::to_string(dim);
    return text.empty() ? "scalar" : text;
}

namespace {

Result<void> check(const DatasetSpec& spec) {
    const auto refuse = [&](std::string what, std::string next) {
        return Error{ErrorCode::invalid_input, std::move(what), "[data]", std::move(next)};
    };
    if (!(spec.validation_share >= 0.0 && spec.validation_share < 1.0))
        return refuse("validation_share must be at least 0 and below 1", "0.1 uses a tenth of the data for validation");
    if (spec.validation_share > 0.0 && !spec.validation.empty())
        return refuse("validation and validation_share exclude each other", "keep one of them");
    if (spec.batch < 1 || spec.rows < 1) return refuse("a batch needs at least one sample", "set [train] batch");
    for (const auto dim : spec.input_shape)
        if (dim < 1) return refuse("the model's input has a size below 1", "check [model]");
    if (spec.path.empty() && spec.kind != "synthetic")
        return refuse("the data have no path", "name the file or folder: path = \"...\"");
    return {};
}

Result<Parts> open_parts(const DatasetSpec& spec) {
    if (spec.kind == "text") return open_text(spec);
    if (spec.kind == "images") return open_images(spec);
    if (spec.kind == "csv") return open_csv(spec);
    if (spec.kind == "synthetic") return open_synthetic(spec);
    return Error{ErrorCode::invalid_input, "unknown kind of data '" + spec.kind + "'", "[data]",
                 "use text, images, csv or synthetic"};
}

/// Checks every kind of data: the model accepts it, a training sample exists, and validation can fill a micro-batch.
Result<void> check_fit(const DatasetSpec& spec, const Parts& parts) {
    const auto refuse = [&](std::string what, std::string next) {
        return Error{ErrorCode::invalid_input, std::move(what), spec.path, std::move(next)};
    };
    // The columns of a table may feed the model one by one. For other kinds, the first column is the only input.
    const auto& columns = parts.training->columns();
    const auto candidates = std::span(columns).first(spec.kind == "csv" ? columns.size() : 1);
    const bool fits = std::ranges::any_of(candidates, [&](const auto& c) { return c.dims == spec.input_shape; });
    if (!spec.input_shape.empty() && !fits) {
        return refuse("samples are " + format_dims(columns.front().dims) + ", but the model takes " +
                          format_dims(spec.input_shape),
                      "change the model's sizes in [model], or the data");
    }
    const std::int64_t found = parts.training->classes();
    if (spec.classes > 0 && found > spec.classes) {
        return refuse("labels go up to " + std::to_string(found - 1) + ", but the model has " +
                          std::to_string(spec.classes) + " classes",
                      "set classes to at least " + std::to_string(found));
    }
    if (parts.training->size() < 1) {
        return refuse("no training sample is left", "lower validation_share");
    }
    if (!spec.once && parts.validation && parts.validation->size() < spec.rows) {
        return refuse("the validation part has " + std::to_string(parts.validation->size()) +
                          " samples, but a micro-batch needs " + std::to_string(spec.rows),
                      "raise validation_share, or use more micro-batches");
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<const Dataset>> open_dataset(const DatasetSpec& spec) {
    DIVISI_TRY(check(spec));
    DIVISI_ASSIGN(Parts parts, open_parts(spec));
    DIVISI_TRY(check_fit(spec, parts));
    return std::make_unique<const Dataset>(spec, std::move(parts.training), std::move(parts.validation));
}

}  // namespace divisi::data
