// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace divisi::data {

/// Classes of one target column: a whole number is its own class number; other labels are numbered in order of their
/// names.
struct ClassNames {
    bool whole = true;                            ///< the classes are whole numbers
    std::map<std::string, std::int64_t> numbers;  ///< by name; whole numbers as "3", however the file writes them
    std::int64_t count = 0;                       ///< highest class plus one
};

/// The distinct labels of one target column, numbered in order of appearance until all are known.
class Labels {
public:
    /// An unusable label, and the first line that contains it.
    struct Problem {
        std::int64_t line = 0;
        std::string label;
        std::string what;  ///< continues "label '...' in column '...' "
        std::string next;
    };

    /// Adds a label of a row; returns its number in order of appearance.
    std::int32_t add(std::string_view text, std::int64_t line);
    std::int64_t count() const { return static_cast<std::int64_t>(entries_.size()); }

    /// Assigns class numbers below `limit` to the labels; returns a problem if that is impossible.
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

    /// Returns the label that appears first in the file among those for which `is_meant` is true; end() if there is
    /// none.
    template <typename Meant>
    Entries::const_iterator first_where(const Meant& is_meant) const;
    const Entries::value_type& odd_one_out() const;

    Entries entries_;
};

}  // namespace divisi::data
