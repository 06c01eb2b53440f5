// SPDX-License-Identifier: Apache-2.0
#include "agents/data/csv_table.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "agents/data/csv_parser.h"
#include "backend/base/text.h"

namespace divisi::data {
namespace {

// Maximum number of classes of a target. Values of a target with more distinct labels are not classes.
constexpr std::int64_t max_classes = 65536;
constexpr std::size_t max_listed_columns = 40;

// Limit of a text that a message quotes.
constexpr std::size_t most_quoted_bytes = 40;

std::string quote(std::string_view text) { return "'" + legible(text, most_quoted_bytes) + "'"; }

class TableReader {
public:
    TableReader(const std::string& path, const DatasetSpec& spec, const CsvTable* training)
        : path_(path), spec_(spec), training_(training) {}

    Result<CsvTable> read() {
        DIVISI_ASSIGN(const auto file, File::open(path_));
        DIVISI_TRY(parse_csv(file, [&](std::int64_t line, Fields fields) {
            return table_.header.empty() ? take_header(line, fields) : take_row(line, fields);
        }));
        if (table_.rows == 0) return fail(0, "contains no row below the header", "name a file with data");
        for (std::size_t target = 0; target < labels_.size(); ++target)
            if (table_.targets[target].form == Targets::classes) DIVISI_TRY(number_classes(target));
        return std::move(table_);
    }

private:
    using Fields = std::span<const std::string_view>;

    Error fail(std::int64_t line, std::string what, std::string next) const {
        return {ErrorCode::invalid_input, std::move(what), line > 0 ? path_ + ":" + std::to_string(line) : path_,
                std::move(next)};
    }

    std::string column_list() const {
        std::string list;
        for (std::size_t i = 0; i < std::min(table_.header.size(), max_listed_columns); ++i)
            list += (i == 0 ? "" : ", ") + legible(table_.header[i], most_quoted_bytes);
        return table_.header.size() > max_listed_columns ? list + ", ..." : list;
    }

    /// Returns "column 'price' (field 3)".
    std::string column_name(std::size_t column) const {
        return "column " + quote(table_.header[column]) + " (field " + std::to_string(column + 1) + ")";
    }

    Result<void> take_header(std::int64_t line, Fields fields) {
        std::set<std::string_view> names;
        for (const auto& field : fields) {
            const std::string_view name = trim(field);
            if (name.empty())
                return fail(line, "a column without a name (field " + std::to_string(table_.header.size() + 1) + ")",
                            "name every column in the first line");
            if (!names.insert(name).second)
                return fail(line, "two columns are called " + quote(name), "rename one of them");
            table_.header.emplace_back(name);
        }
        if (training_ && training_->header != table_.header)
            return fail(line, "its columns differ from those of the training file", "give both files the same header");
        if (spec_.targets.empty() && spec_.labelled)
            return fail(0, "no target column is named", "set targets = [\"...\"]; columns: " + column_list());
        for (const auto& target : spec_.targets) {
            const auto found = std::ranges::find(table_.header, target);
            if (found == table_.header.end())
                return fail(line, "has no column " + quote(target), "columns: " + column_list());
            DIVISI_TRY(add_target(line, target, static_cast<std::size_t>(found - table_.header.begin())));
        }
        for (std::size_t column = 0; column < table_.header.size(); ++column)
            if (std::ranges::find(spec_.targets, table_.header[column]) == spec_.targets.end())
                table_.feature_columns.push_back(column);
        if (table_.feature_columns.empty())
            return fail(line, "every column is a target", "keep some columns as features");
        table_.features = Rows<float>(table_.feature_columns.size());
        return {};
    }

    /// Adds a target column. If there are heads, adds the column only if a head reads it.
    Result<void> add_target(std::int64_t line, const std::string& name, std::size_t column) {
        TargetSpec wanted{name, spec_.target_form, spec_.classes};
        bool read = spec_.heads.empty();
        for (const TargetSpec& head : spec_.heads) {
            if (head.column != name) continue;
            if (read && head.form != wanted.form)
                return fail(line, "column " + quote(name) + " is needed both as classes and as values",
                            "give the same loss to all heads with this target column");
            wanted = head;
            read = true;
        }
        if (!read) return {};
        CsvTarget target;
        target.column = column;
        target.form = wanted.form;
        table_.targets.push_back(std::move(target));
        wanted_.push_back(std::move(wanted));
        labels_.emplace_back();
        return {};
    }

    Result<float> number(std::int64_t line, std::size_t column, std::string_view field) const {
        const Number number = parse_number(field);
        const auto value = static_cast<float>(number.value);
        if (number.kind == Number::Kind::finite && std::isfinite(value)) return value;
        if (number.kind == Number::Kind::empty)
            return fail(line, column_name(column) + " is empty", "fill it in, or remove the row");
        std::string what = column_name(column) + " contains " + quote(field);
        if (number.kind == Number::Kind::none)
            return fail(line, what + ", not a number", "correct the row, or remove the column");
        if (number.kind == Number::Kind::not_finite)
            return fail(line, what + ", not a finite number", "correct or remove the row");
        return fail(line, what + ", beyond the range of float32 (3.4e38)", "scale the column, or correct the row");
    }

    Result<void> take_row(std::int64_t line, Fields fields) {
        if (fields.size() != table_.header.size()) {
            return fail(
                line,
                std::to_string(fields.size()) + " fields, but the header has " + std::to_string(table_.header.size()),
                "correct the row; quote fields that contain commas");
        }
        for (const auto column : table_.feature_columns) {
            DIVISI_ASSIGN(const float value, number(line, column, fields[column]));
            table_.features.append(value);
        }
        for (std::size_t i = 0; i < table_.targets.size(); ++i) {
            CsvTarget& target = table_.targets[i];
            if (target.form == Targets::values) {
                DIVISI_ASSIGN(const float value, number(line, target.column, fields[target.column]));
                target.values.append(value);
            } else {
                DIVISI_ASSIGN(const auto label, label_number(line, i, trim(fields[target.column])));
                target.classes.append(label);
            }
        }
        ++table_.rows;
        return {};
    }

    Result<std::int32_t> label_number(std::int64_t line, std::size_t target, std::string_view text) {
        const std::size_t column = table_.targets[target].column;
        if (text.empty())
            return fail(line, "no value in target " + column_name(column), "fill it in, or remove the row");
        if (labels_[target].count() > max_classes)
            return fail(line, "target " + column_name(column) + " has too many distinct values for classes",
                        "to predict values, set loss = \"mse\"");
        return labels_[target].add(text, line);
    }

    /// Converts the labels of one target to class numbers.
    Result<void> number_classes(std::size_t number) {
        const Labels& labels = labels_[number];
        CsvTarget& target = table_.targets[number];
        const auto refuse = [&](const Labels::Problem& problem) {
            return fail(problem.line,
                        "label " + quote(problem.label) + " in " + column_name(target.column) + " " + problem.what,
                        problem.next);
        };
        if (training_) {
            target.names = training_->targets[number].names;
        } else {
            auto names = labels.name_classes(wanted_[number].classes > 0 ? wanted_[number].classes : max_classes);
            if (const auto* problem = get_if<Labels::Problem>(&names)) return refuse(*problem);
            target.names = get<ClassNames>(std::move(names));
        }
        const auto classes = labels.class_numbers(target.names);
        if (const auto* problem = get_if<Labels::Problem>(&classes)) return refuse(*problem);
        const auto& class_of = std::get<std::vector<std::int32_t>>(classes);
        for (std::int64_t row = 0; row < table_.rows; ++row) {
            std::int32_t& label = *target.classes.row(row);
            label = class_of[static_cast<std::size_t>(label)];
        }
        return {};
    }

    const std::string& path_;
    const DatasetSpec& spec_;
    const CsvTable* training_;
    CsvTable table_;
    std::vector<TargetSpec> wanted_;  ///< specification of each target in CsvTable::targets
    std::vector<Labels> labels_;      ///< labels of each target in CsvTable::targets
};

}  // namespace

Result<CsvTable> read_csv_table(const std::string& path, const DatasetSpec& spec, const CsvTable* training) {
    return TableReader(path, spec, training).read();
}

}  // namespace divisi::data
