// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <span>

#include "agents/data/counter_rng.h"
#include "agents/data/source.h"

namespace divisi::data {

namespace {

constexpr std::int64_t default_samples = 1024;
/// Returns a triangle wave of period 1 between -1 and 1.
float triangle(float phase) { return 4.0f * std::fabs(phase - std::floor(phase + 0.5f)) - 1.0f; }

std::int64_t product(const std::vector<std::int64_t>& dims) {
    std::int64_t count = 1;
    for (const auto dim : dims) count *= dim;
    return count;
}

/// Synthetic data. For classes, sample i belongs to class i mod classes and is a wave with noise; the class determines
/// frequencies and phase. For values, the target is a fixed random projection of a normal input, with noise.
class FloatSource final : public Source {
public:
    FloatSource(const DatasetSpec& spec, std::int64_t samples)
        : samples_(samples),
          classes_(spec.target_form == DatasetSpec::Targets::classes ? spec.classes : 0),
          outputs_(std::max<std::int64_t>(1, spec.classes)),
          key_(mix(fnv1a("synthetic"), spec.seed)),
          dims_(spec.input_shape),
          elements_(static_cast<std::size_t>(product(dims_))) {
        columns_ = {{"input", graph::DType::float32, dims_}};
        if (classes_ > 0) columns_.push_back({"target", graph::DType::int64, {}});
        else columns_.push_back({"target", graph::DType::float32, {outputs_}});
    }
    std::int64_t size() const override { return samples_; }
    const std::vector<Column>& columns() const override { return columns_; }
    std::int64_t classes() const override { return classes_; }

    Result<Batch> gather(std::span<const std::int64_t> samples) const override {
        const auto rows = static_cast<std::int64_t>(samples.size());
        std::vector<float> input, values;
        std::vector<std::int64_t> labels;
        input.reserve(samples.size() * elements_);
        for (const auto sample : samples) {
            if (classes_ > 0) labels.push_back(add_wave(sample, input));
            else add_projections(sample, input, values);
        }
        std::vector<std::int64_t> dims{rows};
        dims.insert(dims.end(), dims_.begin(), dims_.end());
        Batch batch;
        batch.columns["input"] = take(graph::DType::float32, std::move(dims), std::move(input));
        batch.columns["target"] = classes_ > 0 ? take(graph::DType::int64, {rows}, std::move(labels))
                                               : take(graph::DType::float32, {rows, outputs_}, std::move(values));
        return batch;
    }

private:
    std::int64_t add_wave(std::int64_t sample, std::vector<float>& input) const {
        constexpr float noise = 0.5f;
        const std::int64_t label = sample % classes_;
        CounterRng style(mix(key_, static_cast<std::uint64_t>(label)));
        const float along_x = 1.0f + 4.0f * style.uniform(), along_y = 4.0f * style.uniform();
        const float phase = style.uniform();
        CounterRng draw(mix(mix(key_, 0x5a), static_cast<std::uint64_t>(sample)));
        const std::int64_t width = dims_.back(), height = dims_.size() > 1 ? dims_[dims_.size() - 2] : 1;
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(elements_); ++i) {
            const float x = static_cast<float>(i % width) / static_cast<float>(width);
            const float y = static_cast<float>(i / width % height) / static_cast<float>(height);
            const std::int64_t plane = i / (width * height);
            const float wave = triangle(along_x * x + along_y * y + phase * (1.0f + static_cast<float>(plane)));
            input.push_back(wave + noise * draw.normal());
        }
        return label;
    }

    void add_projections(std::int64_t sample, std::vector<float>& input, std::vector<float>& values) const {
        CounterRng draw(mix(mix(key_, 0x5a), static_cast<std::uint64_t>(sample)));
        for (std::size_t i = 0; i < elements_; ++i) input.push_back(draw.normal());
        const auto row = std::span(input).last(elements_);
        for (std::int64_t output = 0; output < outputs_; ++output) {
            CounterRng weights(mix(mix(key_, 0x77), static_cast<std::uint64_t>(output)));
            float sum = 0.0f;
            for (const float element : row) sum += element * weights.normal();
            values.push_back(sum / std::sqrt(static_cast<float>(elements_)) + 0.05f * draw.normal());
        }
    }

    std::int64_t samples_;
    std::int64_t classes_;
    std::int64_t outputs_;
    std::uint64_t key_;
    std::vector<std::int64_t> dims_;
    std::size_t elements_;
    std::vector<Column> columns_;
};

/// Sequences of tokens. With a probability of nine in ten, a table gives the next token from the current one.
class TokenSource final : public Source {
public:
    TokenSource(const DatasetSpec& spec, std::int64_t samples)
        : samples_(samples),
          vocabulary_(spec.classes),
          context_(spec.input_shape.front()),
          key_(mix(fnv1a("synthetic tokens"), spec.seed)),
          columns_{{"input", graph::DType::int64, {context_}},
                   {"tokens", graph::DType::int64, {context_}},
                   {"target", graph::DType::int64, {context_}}} {}
    std::int64_t size() const override { return samples_; }
    const std::vector<Column>& columns() const override { return columns_; }
    std::int64_t classes() const override { return vocabulary_; }

    Result<Batch> gather(std::span<const std::int64_t> samples) const override {
        const auto rows = static_cast<std::int64_t>(samples.size());
        std::vector<std::int64_t> tokens, targets;
        for (const auto sample : samples) {
            CounterRng draw(mix(mix(key_, 0x5a), static_cast<std::uint64_t>(sample)));
            std::int64_t token = draw.below(vocabulary_);
            for (std::int64_t i = 0; i < context_; ++i) {
                tokens.push_back(token);
                CounterRng successor(mix(key_, static_cast<std::uint64_t>(token)));
                token = draw.below(10) == 0 ? draw.below(vocabulary_) : successor.below(vocabulary_);
                targets.push_back(token);
            }
        }
        Batch batch;
        batch.columns["input"] = take(graph::DType::int64, {rows, context_}, std::move(tokens));
        batch.columns["tokens"] = batch.columns["input"];
        batch.columns["target"] = take(graph::DType::int64, {rows, context_}, std::move(targets));
        return batch;
    }

private:
    std::int64_t samples_;
    std::int64_t vocabulary_;
    std::int64_t context_;
    std::uint64_t key_;
    std::vector<Column> columns_;
};

}  // namespace

std::optional<std::int64_t> count_numbers(const std::vector<std::int64_t>& dims) {
    std::int64_t numbers = 1;
    for (const std::int64_t size : dims)
        if (__builtin_mul_overflow(numbers, size, &numbers) || numbers > most_numbers) return std::nullopt;
    return numbers;
}

Result<Parts> open_synthetic(const DatasetSpec& spec) {
    const auto refuse = [](std::string what, std::string next) {
        return Error{ErrorCode::invalid_input, std::move(what), "[data]", std::move(next)};
    };
    if (!spec.path.empty() || !spec.validation.empty())
        return refuse("synthetic data has no files",
                      "remove path and validation; validation_share sets samples aside for validation");
    const std::int64_t samples = spec.samples > 0 ? spec.samples : default_samples;
    if (!spec.heads.empty()) return open_synthetic_model(spec, samples);
    if (spec.input_shape.empty()) return refuse("the model's input shape is unknown", "bind its sizes in [model]");
    if (spec.input_dtype == graph::DType::int64) {
        if (spec.input_shape.size() != 1 || spec.classes < 2)
            return refuse("token sequences need one dimension and at least two classes",
                          "set classes to the vocabulary");
        return split(spec, std::make_unique<TokenSource>(spec, samples));
    }
    if (spec.input_dtype != graph::DType::float32) {
        return refuse("cannot generate inputs of type " + std::string(graph::name(spec.input_dtype)),
                      "use a model with float32 or int64 inputs");
    }
    if (spec.target_form == DatasetSpec::Targets::classes && spec.classes < 2)
        return refuse("classification needs at least two classes", "set classes");
    if (!count_numbers(spec.input_shape) || spec.classes > most_numbers)
        return refuse("a sample has more than " + std::to_string(most_numbers) + " numbers", "check the model's sizes");
    return split(spec, std::make_unique<FloatSource>(spec, samples));
}

}  // namespace divisi::data
