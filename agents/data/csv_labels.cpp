// SPDX-License-Identifier: Apache-2.0
#include "agents/data/csv_labels.h"

#include <algorithm>

#include "agents/data/csv_parser.h"

namespace divisi::data {
namespace {

constexpr const char* mend_label = "correct the row, or set classes to fit the labels";

bool is_number(std::string_view text) {
    const Number::Kind kind = parse_number(text).kind;
    return kind != Number::Kind::none && kind != Number::Kind::empty;
}

std::string classes_text(std::int64_t count) { return "there are " + std::to_string(count) + " classes"; }

}  // namespace

std::int32_t Labels::add(std::string_view text, std::int64_t line) {
    auto entry = entries_.find(text);
    if (entry == entries_.end())
        entry = entries_.try_emplace(std::string(text), Entry{static_cast<std::int32_t>(count()), line, 0}).first;
    ++entry->second.rows;
    return entry->second.id;
}

template <typename Meant>
Labels::Entries::const_iterator Labels::first_where(const Meant& is_meant) const {
    auto first = entries_.end();
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry)
        if (is_meant(*entry) && (first == entries_.end() || entry->second.first_line < first->second.first_line))
            first = entry;
    return first;
}

/// Labels are of two kinds: whole numbers, and all other texts. Returns the first label of the kind that has fewer
/// rows.
const Labels::Entries::value_type& Labels::odd_one_out() const {
    std::int64_t whole = 0, others = 0;
    for (const auto& [text, entry] : entries_) (parse_whole(text) ? whole : others) += entry.rows;
    return *first_where([&](const auto& entry) { return parse_whole(entry.first).has_value() == (whole < others); });
}

std::variant<ClassNames, Labels::Problem> Labels::name_classes(std::int64_t limit) const {
    const auto is_whole = [](const auto& entry) { return parse_whole(entry.first).has_value(); };
    const auto is_fraction = [&](const auto& entry) { return !is_whole(entry) && is_number(entry.first); };
    const bool numbers = std::ranges::all_of(entries_, [](const auto& entry) { return is_number(entry.first); });
    const auto problem = [](const auto& entry, std::string what, std::string next) {
        return Problem{entry.second.first_line, entry.first, std::move(what), std::move(next)};
    };
    if (const auto fraction = first_where(is_fraction); numbers && fraction != entries_.end())
        return problem(*fraction, "is not a class number",
                       "use whole numbers as classes; to predict values, set loss = \"mse\"");

    ClassNames names;
    names.whole = numbers;
    if (numbers) {
        const auto outside = first_where([&](const auto& entry) {
            const std::int64_t number = *parse_whole(entry.first);
            return number < 0 || number >= limit;
        });
        if (outside != entries_.end()) return problem(*outside, "is out of range; " + classes_text(limit), mend_label);
        for (const auto& [text, entry] : entries_) {
            const std::int64_t number = *parse_whole(text);
            names.numbers[std::to_string(number)] = number;
            names.count = std::max(names.count, number + 1);
        }
        return names;
    }
    if (count() > limit) {
        if (std::ranges::any_of(entries_, is_whole)) {
            const auto& odd = odd_one_out();
            return problem(odd,
                           std::string(is_whole(odd) ? "is" : "is not") +
                               " a whole number, unlike the other labels, and " + classes_text(limit),
                           mend_label);
        }
        const auto surplus = first_where([&](const auto& entry) { return entry.second.id >= limit; });
        return problem(*surplus, "exceeds the number of classes; " + classes_text(limit), mend_label);
    }
    for (const auto& [text, entry] : entries_) names.numbers[text] = names.count++;
    return names;
}

std::variant<std::vector<std::int32_t>, Labels::Problem> Labels::class_numbers(const ClassNames& names) const {
    const auto number_of = [&](const std::string& text) {
        const auto whole = names.whole ? parse_whole(text) : std::nullopt;
        return names.numbers.find(whole ? std::to_string(*whole) : text);
    };
    const auto unknown = first_where([&](const auto& entry) { return number_of(entry.first) == names.numbers.end(); });
    if (unknown != entries_.end())
        return Problem{unknown->second.first_line, unknown->first, "does not occur in the training part",
                       "correct the row, or move a row with this label to the training part"};
    std::vector<std::int32_t> numbers(entries_.size());
    for (const auto& [text, entry] : entries_)
        numbers[static_cast<std::size_t>(entry.id)] = static_cast<std::int32_t>(number_of(text)->second);
    return numbers;
}

}  // namespace divisi::data
