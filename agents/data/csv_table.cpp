// SPDX-License-Identifier: Apache-2.0
#include "agents/data/csv_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "agents/data/csv_parser.h"

namespace divisi::data {

namespace {

// A target with more distinct values than this is no class.
constexpr std::int64_t max_classes = 65536;
constexpr std::size_t max_listed_columns = 40;

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

template <typename T>
std::optional<T> parse_number(std::string_view text) {
    text = trim(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// The distinct texts of one class target, numbered as they come until all are known.
struct RawClasses {
    struct Entry {
        std::int64_t id;
        std::int64_t first_line;
    };
    std::map<std::string, Entry> entries;
    std::vector<std::int64_t> ids;  ///< one a row
};

class TableReader {
public:
    TableReader(const std::string& path, const DatasetSpec& spec, const CsvTable* training)
        : path_(path), spec_(spec), training_(training) {}

    Result<CsvTable> read() {
        DIVISI_ASSIGN(const auto file, File::open(path_));
        DIVISI_TRY(parse_csv(file, [&](std::int64_t line, std::vector<std::string>& fields) {
            return table_.header.empty() ? take_header(line, fields) : take_row(line, fields);
        }));
        if (table_.rows == 0) return fail(0, "holds no row below the header", "name a file with data");
        for (std::size_t target = 0; target < raw_.size(); ++target)
            if (table_.targets[target].form == Targets::classes) DIVISI_TRY(number_classes(target));
        return std::move(table_);
    }

private:
    Error fail(std::int64_t line, std::string what, std::string next) const {
        return {ErrorCode::invalid_input, std::move(what), line > 0 ? path_ + ":" + std::to_string(line) : path_,
                std::move(next)};
    }

    std::string column_list() const {
        std::string list;
        for (std::size_t i = 0; i < std::min(table_.header.size(), max_listed_columns); ++i)
            list += (i == 0 ? "" : ", ") + table_.header[i];
        return table_.header.size() > max_listed_columns ? list + ", ..." : list;
    }

    Result<void> take_header(std::int64_t line, const std::vector<std::string>& fields) {
        for (const auto& field : fields) {
            const std::string name(trim(field));
            if (name.empty()) return fail(line, "a column without a name", "name every column in the first line");
            if (std::ranges::find(table_.header, name) != table_.header.end())
                return fail(line, "two columns are called '" + name + "'", "rename one");
            table_.header.push_back(name);
        }
        if (training_ && training_->header != table_.header)
            return fail(line, "its columns are not those of the training file", "give both files the same header");
        if (spec_.targets.empty())
            return fail(0, "no target column is named", "set targets = [\"...\"]; columns: " + column_list());
        for (const auto& target : spec_.targets) {
            const auto found = std::ranges::find(table_.header, target);
            if (found == table_.header.end())
                return fail(line, "has no column '" + target + "'", "columns: " + column_list());
            DIVISI_TRY(add_target(line, target, static_cast<std::size_t>(found - table_.header.begin())));
        }
        for (std::size_t column = 0; column < table_.header.size(); ++column)
            if (std::ranges::find(spec_.targets, table_.header[column]) == spec_.targets.end())
                table_.feature_columns.push_back(column);
        if (table_.feature_columns.empty()) return fail(line, "every column is a target", "leave some as features");
        return {};
    }

    /// Where there are heads, only what one of them reads.
    Result<void> add_target(std::int64_t line, const std::string& name, std::size_t column) {
        TargetSpec wanted{name, spec_.target_form, spec_.classes};
        bool read = spec_.heads.empty();
        for (const TargetSpec& head : spec_.heads) {
            if (head.column != name) continue;
            if (read && head.form != wanted.form)
                return fail(line, "column '" + name + "' is wanted as classes and as values",
                            "give the heads that it is the target of the same loss");
            wanted = head;
            read = true;
        }
        if (!read) return {};
        CsvTarget target;
        target.column = column;
        target.form = wanted.form;
        table_.targets.push_back(std::move(target));
        wanted_.push_back(std::move(wanted));
        raw_.emplace_back();
        return {};
    }

    Result<float> number(std::int64_t line, std::size_t column, const std::string& field) const {
        const auto value = parse_number<double>(field);
        if (value && std::isfinite(*value)) return static_cast<float>(*value);
        return fail(line, "column '" + table_.header[column] + "' holds '" + field.substr(0, 40) + "', not a number",
                    "mend the row, or take the column out");
    }

    Result<void> take_row(std::int64_t line, std::vector<std::string>& fields) {
        if (fields.size() != table_.header.size()) {
            return fail(
                line,
                std::to_string(fields.size()) + " fields under a header of " + std::to_string(table_.header.size()),
                "mend the row; quote fields that hold commas");
        }
        for (const auto column : table_.feature_columns) {
            DIVISI_ASSIGN(const float value, number(line, column, fields[column]));
            table_.features.push_back(value);
        }
        for (std::size_t i = 0; i < table_.targets.size(); ++i) {
            CsvTarget& target = table_.targets[i];
            if (target.form == Targets::values) {
                DIVISI_ASSIGN(const float value, number(line, target.column, fields[target.column]));
                target.values.push_back(value);
            } else {
                DIVISI_TRY(take_class(line, raw_[i], target.column, std::string(trim(fields[target.column]))));
            }
        }
        ++table_.rows;
        return {};
    }

    Result<void> take_class(std::int64_t line, RawClasses& raw, std::size_t column, std::string text) const {
        if (text.empty())
            return fail(line, "no value in target column '" + table_.header[column] + "'", "mend the row");
        const auto next = static_cast<std::int64_t>(raw.entries.size());
        if (next > max_classes)
            return fail(line, "target column '" + table_.header[column] + "' has too many distinct values for a class",
                        "for values to predict set loss = \"mse\"");
        raw.ids.push_back(raw.entries.try_emplace(std::move(text), RawClasses::Entry{next, line}).first->second.id);
        return {};
    }

    /// Turns the ids of one target into class numbers.
    Result<void> number_classes(std::size_t target) {
        RawClasses& raw = raw_[target];
        ClassNames names = training_ ? training_->targets[target].names : name_classes(raw);
        std::vector<std::int64_t> number_of(raw.entries.size());
        for (const auto& [text, entry] : raw.entries) {
            const auto found = names.numbers.find(text);
            const std::int64_t limit = wanted_[target].classes > 0 ? wanted_[target].classes : max_classes;
            const bool known = found != names.numbers.end();
            if (!known || found->second < 0 || found->second >= limit) {
                return fail(entry.first_line,
                            "label '" + text.substr(0, 40) + "' in column '" + wanted_[target].column + "' " +
                                (known ? "is out of range, there are " + std::to_string(limit) + " classes"
                                       : "does not occur in the training part"),
                            "mend the row, or set classes to fit the labels");
            }
            number_of[static_cast<std::size_t>(entry.id)] = found->second;
        }
        for (auto& id : raw.ids) id = number_of[static_cast<std::size_t>(id)];
        table_.targets[target].classes = std::move(raw.ids);
        table_.targets[target].names = std::move(names);
        return {};
    }

    static ClassNames name_classes(const RawClasses& raw) {
        ClassNames names;
        const bool integers = std::ranges::all_of(
            raw.entries, [](const auto& entry) { return parse_number<std::int64_t>(entry.first).has_value(); });
        for (const auto& entry : raw.entries) {
            const auto& text = entry.first;
            const auto number =
                integers ? *parse_number<std::int64_t>(text) : static_cast<std::int64_t>(names.numbers.size());
            names.numbers[text] = number;
            names.count = std::max(names.count, number + 1);
        }
        return names;
    }

    const std::string& path_;
    const DatasetSpec& spec_;
    const CsvTable* training_;
    CsvTable table_;
    std::vector<TargetSpec> wanted_;  ///< by CsvTable::targets
    std::vector<RawClasses> raw_;     ///< likewise
};

}  // namespace

Result<CsvTable> read_csv_table(const std::string& path, const DatasetSpec& spec, const CsvTable* training) {
    return TableReader(path, spec, training).read();
}

}  // namespace divisi::data
