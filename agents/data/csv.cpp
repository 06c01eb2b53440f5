// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "agents/data/csv_table.h"
#include "agents/data/source.h"

namespace divisi::data {

namespace {

class CsvSource final : public Source {
public:
    CsvSource(CsvTable table, bool heads) : table_(std::move(table)), heads_(heads) {
        const auto features = static_cast<std::int64_t>(table_.feature_columns.size());
        const auto targets = static_cast<std::int64_t>(table_.targets.size());
        columns_ = {{"input", graph::DType::float32, {features}}, {"features", graph::DType::float32, {features}}};
        if (!heads_ && has_classes()) columns_.push_back({"target", graph::DType::int64, {}});
        else if (!heads_) columns_.push_back({"target", graph::DType::float32, {targets}});
        for (const auto column : table_.feature_columns)
            columns_.push_back({table_.header[column], graph::DType::float32, {1}});
        for (const CsvTarget& target : table_.targets) {
            const std::string& name = table_.header[target.column];
            if (target.form == Targets::classes) columns_.push_back({name, graph::DType::int64, {}});
            else columns_.push_back({name, graph::DType::float32, {1}});
        }
    }
    std::int64_t size() const override { return table_.rows; }
    const std::vector<Column>& columns() const override { return columns_; }
    std::int64_t classes() const override {
        return heads_ || table_.targets.empty() ? 0 : table_.targets.front().names.count;
    }

    Result<Batch> gather(std::span<const std::int64_t> samples) const override {
        const auto rows = static_cast<std::int64_t>(samples.size());
        const std::size_t width = table_.features.width();
        Batch batch;
        batch.columns["input"] = take(graph::DType::float32, {rows, static_cast<std::int64_t>(width)},
                                      pick<float>(table_.features, samples, 0, width));
        batch.columns["features"] = batch.columns["input"];
        add_targets(samples, batch);
        // If a column of the file is named "input", "features" or "target", try_emplace() does not overwrite the column
        // added above.
        for (std::size_t i = 0; i < width; ++i) {
            batch.columns.try_emplace(
                table_.header[table_.feature_columns[i]],
                take(graph::DType::float32, {rows, 1}, pick<float>(table_.features, samples, i, 1)));
        }
        return batch;
    }

private:
    bool has_classes() const { return table_.targets.front().form == Targets::classes; }

    void add_targets(std::span<const std::int64_t> samples, Batch& batch) const {
        const auto rows = static_cast<std::int64_t>(samples.size());
        if (!heads_ && !has_classes()) batch.columns["target"] = all_values(samples);
        for (std::size_t i = 0; i < table_.targets.size(); ++i) {
            const CsvTarget& target = table_.targets[i];
            graph::HostTensor tensor =
                target.form == Targets::classes
                    ? take(graph::DType::int64, {rows}, pick<std::int64_t>(target.classes, samples, 0, 1))
                    : take(graph::DType::float32, {rows, 1}, pick<float>(target.values, samples, 0, 1));
            if (!heads_ && i == 0 && has_classes()) batch.columns["target"] = tensor;
            batch.columns.try_emplace(table_.header[target.column], std::move(tensor));
        }
    }

    /// Returns the targets as columns of one tensor: [rows, targets].
    graph::HostTensor all_values(std::span<const std::int64_t> samples) const {
        std::vector<float> values;
        values.reserve(samples.size() * table_.targets.size());
        for (const auto sample : samples)
            for (const CsvTarget& target : table_.targets) values.push_back(*target.values.row(sample));
        return take(graph::DType::float32,
                    {static_cast<std::int64_t>(samples.size()), static_cast<std::int64_t>(table_.targets.size())},
                    std::move(values));
    }

    /// Returns the elements [first, first + count) of the given rows.
    template <typename To, typename From>
    static std::vector<To> pick(const Rows<From>& table, std::span<const std::int64_t> samples, std::size_t first,
                                std::size_t count) {
        std::vector<To> picked;
        picked.reserve(samples.size() * count);
        for (const auto sample : samples) {
            const From* begin = table.row(sample) + first;
            picked.insert(picked.end(), begin, begin + count);
        }
        return picked;
    }

    CsvTable table_;
    bool heads_;  ///< whether targets have the names of their columns in the file, and there is no "target"
    std::vector<Column> columns_;
};

struct Scale {
    double mean = 0.0;
    double inverse_deviation = 0.0;  ///< 0 for a constant column, whose values then become 0
};

/// Returns the mean and inverse population deviation of each feature over the first `rows` rows, summed in row order.
std::vector<Scale> measure(const CsvTable& table, std::int64_t rows) {
    const std::size_t width = table.features.width();
    std::vector<double> means(width), squares(width);
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::size_t i = 0; i < width; ++i) means[i] += table.features.row(row)[i];
    for (double& mean : means) mean /= static_cast<double>(rows);
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::size_t i = 0; i < width; ++i) {
            const double distance = table.features.row(row)[i] - means[i];
            squares[i] += distance * distance;
        }
    }
    std::vector<Scale> scales(width);
    for (std::size_t i = 0; i < width; ++i) {
        const double deviation = std::sqrt(squares[i] / static_cast<double>(rows));
        scales[i] = {means[i], deviation > 0.0 ? 1.0 / deviation : 0.0};
    }
    return scales;
}

void standardize(const std::vector<Scale>& scales, CsvTable& table) {
    for (std::int64_t row = 0; row < table.rows; ++row) {
        float* values = table.features.row(row);
        for (std::size_t i = 0; i < scales.size(); ++i)
            values[i] = static_cast<float>((values[i] - scales[i].mean) * scales[i].inverse_deviation);
    }
}

}  // namespace

Result<Parts> open_csv(const DatasetSpec& spec) {
    const bool by_name = !spec.heads.empty() || !spec.labelled;
    DIVISI_ASSIGN(auto table, read_csv_table(spec.path, spec, nullptr));
    const std::int64_t training_rows = table.rows - validation_count(spec, table.rows);
    std::vector<Scale> scales;
    if (spec.standardize && training_rows > 0) scales = measure(table, training_rows);

    std::unique_ptr<const Source> held_out;
    if (!spec.validation.empty()) {
        DIVISI_ASSIGN(auto validation, read_csv_table(spec.validation, spec, &table));
        if (!scales.empty()) standardize(scales, validation);
        held_out = std::make_unique<CsvSource>(std::move(validation), by_name);
    }
    if (!scales.empty()) standardize(scales, table);
    Parts parts = split(spec, std::make_unique<CsvSource>(std::move(table), by_name));
    if (held_out) parts.validation = std::move(held_out);
    return parts;
}

}  // namespace divisi::data
