// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace divisi::data {

/// Classes of one target column. If the labels are whole numbers, each label is its class number. Otherwise, the labels
/// are numbered in alphabetical order.
struct ClassNames {
    bool whole = true;  ///< whether the classes are whole numbers
    /// number of each class by its name; a whole number is stored as "3" even if the file writes "3.0"
    std::map<std::string, std::int64_t> numbers;
    std::int64_t count = 0;  ///< number of classes: the highest class plus one
};

/// The distinct labels of one target column, numbered in order of appearance until all are known.
class Labels {
public:
    /// An unusable label, and the first line that contains it.
    struct Problem {
        std::int64_t line = 0;
        std::string label;
        std::string what;  ///< text that follows "label '...' in column '...' " in the message
        std::string next;
    };

    /// Adds a label of a row; returns its number in order of appearance.
    std::int32_t add(std::string_view text, std::int64_t line);
    std::int64_t count() const { return static_cast<std::int64_t>(entries_.size()); }

    /// Assigns class numbers below `limit` to the labels; returns a problem if the labels do not permit this.
    std::variant<ClassNames, Problem> name_classes(std::int64_t limit) const;
    /// Returns the class number of each label, indexed by the number from add().
    std::variant<std::vector<std::int32_t>, Problem> class_numbers(const ClassNames& names) const;

private:
    struct Entry {
        std::int32_t id = 0;
        std::int64_t first_line = 0;
        std::int64_t rows = 0;
    };
    using Entries = std::map<std::string, Entry, std::less<>>;

    /// Returns the first label of the file for which `is_meant` is true; end() if there is no such label.
    template <typename Meant>
    Entries::const_iterator first_where(const Meant& is_meant) const;
    const Entries::value_type& odd_one_out() const;

    Entries entries_;
};

}  // namespace divisi::data
