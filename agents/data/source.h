// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agents/data/dataset.h"

namespace divisi::data {

/// Interface to numbered samples; the caller chooses their order. Each file format has an implementation.
class Source {
public:
    virtual ~Source() = default;
    virtual std::int64_t size() const = 0;
    /// Returns the given samples, each in [0, size), as rows of a batch.
    virtual Result<Batch> gather(std::span<const std::int64_t> samples) const = 0;
    virtual const std::vector<Column>& columns() const = 0;
    virtual std::int64_t classes() const = 0;
};

/// The part [begin, begin + count) of another source.
class Slice final : public Source {
public:
    Slice(std::shared_ptr<const Source> whole, std::int64_t begin, std::int64_t count)
        : whole_(std::move(whole)), begin_(begin), count_(count) {}
    std::int64_t size() const override { return count_; }
    Result<Batch> gather(std::span<const std::int64_t> samples) const override;
    const std::vector<Column>& columns() const override { return whole_->columns(); }
    std::int64_t classes() const override { return whole_->classes(); }

private:
    std::shared_ptr<const Source> whole_;
    std::int64_t begin_;
    std::int64_t count_;
};

/// The training part and the validation part, which may be null.
struct Parts {
    std::unique_ptr<const Source> training;
    std::unique_ptr<const Source> validation;
};

Result<Parts> open_text(const DatasetSpec& spec);
Result<Parts> open_images(const DatasetSpec& spec);
Result<Parts> open_csv(const DatasetSpec& spec);
Result<Parts> open_synthetic(const DatasetSpec& spec);
/// Generates data for any model, as DatasetSpec::inputs and heads specify.
Result<Parts> open_synthetic_model(const DatasetSpec& spec, std::int64_t samples);

/// Returns how many of `count` samples are for validation: the rounded share, taken from the end.
std::int64_t validation_count(const DatasetSpec& spec, std::int64_t count);
/// Splits a source; the validation share is cut from its end.
Parts split(const DatasetSpec& spec, std::unique_ptr<const Source> whole);

/// Makes a tensor from `values` without a copy. The product of `dims` must equal the number of values.
template <typename T>
graph::HostTensor take(graph::DType dtype, std::vector<std::int64_t> dims, std::vector<T> values) {
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    graph::HostTensor tensor;
    tensor.dtype = dtype;
    tensor.dims = std::move(dims);
    tensor.data = reinterpret_cast<const std::byte*>(owner->data());
    tensor.size_bytes = static_cast<std::int64_t>(owner->size() * sizeof(T));
    tensor.owner = std::move(owner);
    return tensor;
}

/// Maximum number of elements in one input or target: 1 GiB of float32. A model that needs more is assumed to be wrong.
inline constexpr std::int64_t most_numbers = std::int64_t{1} << 28;
/// Returns the product of `dims`; none if it exceeds most_numbers.
std::optional<std::int64_t> count_numbers(const std::vector<std::int64_t>& dims);

/// Returns the dimensions as text, for example "3x32x32".
std::string format_dims(const std::vector<std::int64_t>& dims);

}  // namespace divisi::data
