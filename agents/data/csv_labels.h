// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace divisi::data {

/// Class numbers of one target column: whole numbers stand for themselves, anything else is numbered by name.
struct ClassNames {
    bool whole = true;                            ///< the classes are whole numbers
    std::map<std::string, std::int64_t> numbers;  ///< by name; whole numbers as "3", however the file writes them
    std::int64_t count = 0;                       ///< highest class plus one
};

/// The distinct labels of one target column, numbered as they come until all are known.
class Labels {
public:
    /// A label that cannot be taken, and the line where it stands first.
    struct Problem {
        std::int64_t line = 0;
        std::string label;
        std::string what;  ///< continues "label '...' in column '...' "
        std::string next;
    };

    /// Number of this label in the order in which they come.
    std::int32_t add(std::string_view text, std::int64_t line);
    std::int64_t count() const { return static_cast<std::int64_t>(entries_.size()); }

    /// Names of the classes, at most `limit` of them, which no whole number reaches.
    std::variant<ClassNames, Problem> name_classes(std::int64_t limit) const;
    /// Class number of each label, by add()'s number.
    std::variant<std::vector<std::int32_t>, Problem> class_numbers(const ClassNames& names) const;

private:
    struct Entry {
        std::int32_t id = 0;
        std::int64_t first_line = 0;
        std::int64_t rows = 0;
    };
    using Entries = std::map<std::string, Entry, std::less<>>;

    /// The one of those for which `is_meant` that stands first in the file; end() where there is none.
    template <typename Meant>
    Entries::const_iterator first_where(const Meant& is_meant) const;
    const Entries::value_type& odd_one_out() const;

    Entries entries_;
};

}  // namespace divisi::data
