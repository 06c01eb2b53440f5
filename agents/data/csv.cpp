// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "agents/data/csv_table.h"
#include "agents/data/source.h"

namespace divisi::data {

namespace {

class CsvSource final : public Source {
public:
    explicit CsvSource(CsvTable table) : table_(std::move(table)) {
        const auto features = static_cast<std::int64_t>(table_.feature_columns.size());
        const auto targets = static_cast<std::int64_t>(table_.target_columns.size());
        const bool has_classes = !table_.classes.empty();
        columns_ = {{"input", graph::DType::float32, {features}}, {"features", graph::DType::float32, {features}}};
        if (has_classes) columns_.push_back({"target", graph::DType::int64, {}});
        else columns_.push_back({"target", graph::DType::float32, {targets}});
        for (const auto column : table_.feature_columns)
            columns_.push_back({table_.header[column], graph::DType::float32, {1}});
        for (const auto column : table_.target_columns) {
            if (has_classes) columns_.push_back({table_.header[column], graph::DType::int64, {}});
            else columns_.push_back({table_.header[column], graph::DType::float32, {1}});
        }
    }
    std::int64_t size() const override { return table_.rows; }
    const std::vector<Column>& columns() const override { return columns_; }
    std::int64_t classes() const override { return table_.class_names.empty() ? 0 : table_.class_names.front().count; }

    Result<Batch> gather(std::span<const std::int64_t> samples) const override {
        const auto rows = static_cast<std::int64_t>(samples.size());
        const std::size_t width = table_.feature_columns.size();
        Batch batch;
        batch.columns["input"] = take(graph::DType::float32, {rows, static_cast<std::int64_t>(width)},
                                      pick(table_.features, samples, width, 0, width));
        batch.columns["features"] = batch.columns["input"];
        add_targets(samples, batch);
        // A column of the file that bears one of the fixed names does not replace it.
        for (std::size_t i = 0; i < width; ++i) {
            batch.columns.try_emplace(
                table_.header[table_.feature_columns[i]],
                take(graph::DType::float32, {rows, 1}, pick(table_.features, samples, width, i, 1)));
        }
        return batch;
    }

private:
    void add_targets(std::span<const std::int64_t> samples, Batch& batch) const {
        const auto rows = static_cast<std::int64_t>(samples.size());
        const std::size_t count = table_.target_columns.size();
        for (std::size_t i = 0; i < table_.classes.size(); ++i) {
            auto classes = take(graph::DType::int64, {rows}, pick(table_.classes[i], samples, 1, 0, 1));
            if (i == 0) batch.columns["target"] = classes;
            batch.columns.try_emplace(table_.header[table_.target_columns[i]], std::move(classes));
        }
        if (!table_.classes.empty()) return;
        batch.columns["target"] = take(graph::DType::float32, {rows, static_cast<std::int64_t>(count)},
                                       pick(table_.values, samples, count, 0, count));
        for (std::size_t i = 0; i < count; ++i) {
            batch.columns.try_emplace(
                table_.header[table_.target_columns[i]],
                take(graph::DType::float32, {rows, 1}, pick(table_.values, samples, count, i, 1)));
        }
    }

    /// Elements [first, first + count) of the given rows of a table with `width` elements a row.
    template <typename T>
    static std::vector<T> pick(const std::vector<T>& table, std::span<const std::int64_t> samples, std::size_t width,
                               std::size_t first, std::size_t count) {
        std::vector<T> picked;
        picked.reserve(samples.size() * count);
        for (const auto sample : samples) {
            const auto begin =
                table.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(sample) * width + first);
            picked.insert(picked.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
        }
        return picked;
    }

    CsvTable table_;
    std::vector<Column> columns_;
};

struct Scale {
    double mean = 0.0;
    double inverse_deviation = 0.0;  ///< 0 for a constant column, which then reads 0
};

/// Population mean and deviation of each feature over the first `rows` rows, summed in row order.
std::vector<Scale> measure(const CsvTable& table, std::int64_t rows) {
    const std::size_t width = table.feature_columns.size();
    std::vector<Scale> scales(width);
    for (std::size_t i = 0; i < width; ++i) {
        double sum = 0.0, squares = 0.0;
        for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) sum += table.features[row * width + i];
        const double mean = sum / static_cast<double>(rows);
        for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
            const double distance = table.features[row * width + i] - mean;
            squares += distance * distance;
        }
        const double deviation = std::sqrt(squares / static_cast<double>(rows));
        scales[i] = {mean, deviation > 0.0 ? 1.0 / deviation : 0.0};
    }
    return scales;
}

void standardize(const std::vector<Scale>& scales, CsvTable& table) {
    for (std::size_t i = 0; i < table.features.size(); ++i) {
        const Scale& scale = scales[i % scales.size()];
        table.features[i] = static_cast<float>((table.features[i] - scale.mean) * scale.inverse_deviation);
    }
}

}  // namespace

Result<Parts> open_csv(const DatasetSpec& spec) {
    DIVISI_ASSIGN(auto table, read_csv_table(spec.path, spec, nullptr));
    const std::int64_t training_rows = table.rows - validation_count(spec, table.rows);
    std::vector<Scale> scales;
    if (spec.standardize && training_rows > 0) scales = measure(table, training_rows);

    std::unique_ptr<const Source> held_out;
    if (!spec.validation.empty()) {
        DIVISI_ASSIGN(auto validation, read_csv_table(spec.validation, spec, &table));
        if (!scales.empty()) standardize(scales, validation);
        held_out = std::make_unique<CsvSource>(std::move(validation));
    }
    if (!scales.empty()) standardize(scales, table);
    Parts parts = split(spec, std::make_unique<CsvSource>(std::move(table)));
    if (held_out) parts.validation = std::move(held_out);
    return parts;
}

}  // namespace divisi::data
