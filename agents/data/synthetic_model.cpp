// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <span>

#include "agents/data/counter_rng.h"
#include "agents/data/source.h"

namespace divisi::data {

namespace {

using graph::DType;

/// Limits that keep targets learnable and cheap to compute for models of any size. A target depends on roughly
/// most_features numbers of a sample, taken at equal distances. At most most_projections values of a target are
/// computed; a larger target repeats them.
constexpr std::size_t most_features = 4096;
constexpr std::size_t most_projections = 1024;

/// Generates normal floats and bounded integers. For a bound of 2, the first integer of a sample is 1, so that a mask
/// never hides all elements.
class Inputs {
public:
    Inputs(const DatasetSpec& spec, std::uint64_t key) : specs_(spec.inputs), key_(key) {
        if (specs_.empty()) specs_.push_back({"input", spec.input_dtype, spec.input_shape});
        for (const InputSpec& input : specs_) sizes_.push_back(static_cast<std::size_t>(*count_numbers(input.dims)));
    }
    const std::vector<InputSpec>& specs() const { return specs_; }

    /// Fills the batch's input columns. Returns the numbers that targets depend on, as [samples, features].
    std::vector<float> make(std::span<const std::int64_t> samples, Batch& batch) const {
        std::vector<std::vector<float>> drawn(specs_.size());
        for (std::size_t i = 0; i < specs_.size(); ++i) {
            drawn[i].reserve(samples.size() * sizes_[i]);
            for (const std::int64_t sample : samples) draw(i, sample, drawn[i]);
        }
        std::vector<float> features = pick(drawn, samples.size());
        for (std::size_t i = 0; i < specs_.size(); ++i) {
            std::vector<std::int64_t> dims{static_cast<std::int64_t>(samples.size())};
            dims.insert(dims.end(), specs_[i].dims.begin(), specs_[i].dims.end());
            batch.columns[specs_[i].column] = tensor(specs_[i].dtype, std::move(dims), std::move(drawn[i]));
        }
        return features;
    }

private:
    void draw(std::size_t number, std::int64_t sample, std::vector<float>& into) const {
        CounterRng draw(mix(mix(key_, 0x5a + number), static_cast<std::uint64_t>(sample)));
        const InputSpec& input = specs_[number];
        for (std::size_t i = 0; i < sizes_[number]; ++i) {
            if (graph::is_floating(input.dtype)) into.push_back(draw.normal());
            else if (i == 0 && input.below == 2) into.push_back(1.0f);
            else into.push_back(static_cast<float>(draw.below(input.below)));
        }
    }
    std::vector<float> pick(const std::vector<std::vector<float>>& drawn, std::size_t samples) const {
        const std::size_t share = std::max<std::size_t>(1, most_features / specs_.size());
        std::vector<float> features;
        for (std::size_t sample = 0; sample < samples; ++sample) {
            for (std::size_t i = 0; i < drawn.size(); ++i) {
                const std::size_t taken = std::min(sizes_[i], share);
                const float scale =
                    graph::is_floating(specs_[i].dtype) ? 1.0f : 1.0f / static_cast<float>(specs_[i].below);
                for (std::size_t k = 0; k < taken; ++k)
                    features.push_back(scale * drawn[i][sample * sizes_[i] + k * sizes_[i] / taken]);
            }
        }
        return features;
    }
    template <typename T>
    static graph::HostTensor converted(DType dtype, std::vector<std::int64_t> dims, const std::vector<float>& values) {
        return take(dtype, std::move(dims), std::vector<T>(values.begin(), values.end()));
    }
    static graph::HostTensor tensor(DType dtype, std::vector<std::int64_t> dims, std::vector<float> values) {
        switch (dtype) {
            case DType::int64: return converted<std::int64_t>(dtype, std::move(dims), values);
            case DType::int32: return converted<std::int32_t>(dtype, std::move(dims), values);
            case DType::boolean: return converted<std::uint8_t>(dtype, std::move(dims), values);
            default: return take(DType::float32, std::move(dims), std::move(values));
        }
    }

    std::vector<InputSpec> specs_;
    std::vector<std::size_t> sizes_;
    std::uint64_t key_;
};

/// Generates a target for each head from fixed random projections of the inputs. The target is the projected values
/// with noise, or the index of the largest projected value. If a head has labels at several positions, the label
/// increases by one from position to position.
class ModelSource final : public Source {
public:
    ModelSource(const DatasetSpec& spec, std::int64_t samples)
        : samples_(samples), key_(mix(fnv1a("synthetic heads"), spec.seed)), inputs_(spec, key_), heads_(spec.heads) {
        for (const InputSpec& input : inputs_.specs()) columns_.push_back({input.column, input.dtype, input.dims});
        for (TargetSpec& head : heads_) {
            const bool values = head.form == Targets::values;
            if (values && head.dims.empty() && head.classes > 0) head.dims = {head.classes};
            head.classes = std::max<std::int64_t>(1, head.classes);
            columns_.push_back({head.column, values ? DType::float32 : DType::int64, head.dims});
        }
    }
    std::int64_t size() const override { return samples_; }
    const std::vector<Column>& columns() const override { return columns_; }
    std::int64_t classes() const override { return 0; }

    Result<Batch> gather(std::span<const std::int64_t> samples) const override {
        Batch batch;
        const std::vector<float> features = inputs_.make(samples, batch);
        for (const TargetSpec& head : heads_) {
            std::vector<std::int64_t> dims{static_cast<std::int64_t>(samples.size())};
            dims.insert(dims.end(), head.dims.begin(), head.dims.end());
            if (head.form == Targets::values)
                batch.columns[head.column] = take(DType::float32, std::move(dims), values(head, samples, features));
            else batch.columns[head.column] = take(DType::int64, std::move(dims), labels(head, samples, features));
        }
        return batch;
    }

private:
    std::vector<float> values(const TargetSpec& head, std::span<const std::int64_t> samples,
                              const std::vector<float>& features) const {
        const auto wanted = static_cast<std::size_t>(*count_numbers(head.dims));
        const std::size_t own = std::min(wanted, most_projections);
        const std::vector<float> projected = project(head.column, own, samples, features);
        std::vector<float> values;
        values.reserve(samples.size() * wanted);
        for (std::size_t row = 0; row < samples.size(); ++row)
            for (std::size_t i = 0; i < wanted; ++i) values.push_back(projected[row * own + i % own]);
        return values;
    }
    std::vector<std::int64_t> labels(const TargetSpec& head, std::span<const std::int64_t> samples,
                                     const std::vector<float>& features) const {
        const auto places = *count_numbers(head.dims);
        const auto own = std::min(static_cast<std::size_t>(head.classes), most_projections);
        const std::vector<float> projected = project(head.column, own, samples, features);
        std::vector<std::int64_t> labels;
        labels.reserve(samples.size() * static_cast<std::size_t>(places));
        for (std::size_t row = 0; row < samples.size(); ++row) {
            const auto scores = std::span(projected).subspan(row * own, own);
            const std::int64_t best = std::max_element(scores.begin(), scores.end()) - scores.begin();
            for (std::int64_t place = 0; place < places; ++place) labels.push_back((best + place) % head.classes);
        }
        return labels;
    }
    /// Returns [samples, outputs] for a head; the name of the head's column determines its projections.
    std::vector<float> project(const std::string& column, std::size_t outputs, std::span<const std::int64_t> samples,
                               const std::vector<float>& features) const {
        const std::uint64_t key = mix(key_, fnv1a(column));
        const std::size_t count = features.size() / samples.size();
        std::vector<float> values(samples.size() * outputs, 0.0f);
        std::vector<float> projection(count);
        for (std::size_t output = 0; output < outputs; ++output) {
            CounterRng weights(mix(key, output));
            for (float& weight : projection) weight = weights.normal();
            for (std::size_t row = 0; row < samples.size(); ++row) {
                float sum = 0.0f;
                for (std::size_t i = 0; i < count; ++i) sum += features[row * count + i] * projection[i];
                CounterRng noise(mix(mix(key, 0x77 + output), static_cast<std::uint64_t>(samples[row])));
                values[row * outputs + output] = sum / std::sqrt(static_cast<float>(count)) + 0.05f * noise.normal();
            }
        }
        return values;
    }

    std::int64_t samples_;
    std::uint64_t key_;
    Inputs inputs_;
    std::vector<TargetSpec> heads_;
    std::vector<Column> columns_;
};

}  // namespace

Result<Parts> open_synthetic_model(const DatasetSpec& spec, std::int64_t samples) {
    const auto refuse = [](std::string what, std::string next) {
        return Error{ErrorCode::invalid_input, std::move(what), "[data]", std::move(next)};
    };
    const auto fits = [](const std::vector<std::int64_t>& dims) { return count_numbers(dims).value_or(0) > 0; };
    bool within = fits(spec.input_shape);
    for (const TargetSpec& head : spec.heads) within = within && fits(head.dims) && head.classes <= most_numbers;
    for (const InputSpec& input : spec.inputs) {
        within = within && fits(input.dims);
        if (input.dtype == DType::float32 || input.dtype == DType::int64 || input.dtype == DType::int32 ||
            input.dtype == DType::boolean)
            continue;
        return refuse("cannot generate inputs of type " + std::string(graph::name(input.dtype)),
                      "use a model with inputs of type float32, int64, int32 or bool");
    }
    if (!within)
        return refuse("a sample has no numbers, or more than " + std::to_string(most_numbers),
                      "check the model's sizes");
    return split(spec, std::make_unique<ModelSource>(spec, samples));
}

}  // namespace divisi::data
