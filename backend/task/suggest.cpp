// SPDX-License-Identifier: Apache-2.0
#include "backend/task/suggest.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "backend/task/error_texts.h"

namespace divisi::task {

namespace {

constexpr std::size_t longest_compared = 64;  // bounds the time spent on hostile names
constexpr std::size_t most_listed = 12;

/// Returns the distance by optimal string alignment, three rows at a time. The distance counts insertions, deletions,
/// changes, and swaps of two neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1), above, above_that;
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        above_that = std::exchange(above, row);
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            row[j + 1] = std::min({above[j + 1] + 1, row[j] + 1, above[j] + (a[i] == b[j] ? 0 : 1)});
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                row[j + 1] = std::min(row[j + 1], above_that[j - 1] + 1);
        }
    }
    return row[b.size()];
}

}  // namespace

std::string list_names(const std::vector<std::string>& names) {
    std::string text;
    const std::size_t shown = std::min(names.size(), most_listed);
    for (std::size_t i = 0; i < shown; ++i) text += (i ? ", " : "") + names[i];
    if (shown < names.size()) text += " and " + std::to_string(names.size() - shown) + " more";
    return text;
}

std::string suggest(std::string_view name, const std::vector<std::string>& known) {
    name = name.substr(0, longest_compared);
    const std::string* best = nullptr;
    std::size_t least = std::max<std::size_t>(2, name.size() / 3) + 1;  // a larger distance is not a typing error
    for (const std::string& other : known) {
        const std::string_view compared = std::string_view(other).substr(0, longest_compared);
        const std::string_view shorter = std::min(name, compared, [](auto a, auto b) { return a.size() < b.size(); });
        // One of the names is the beginning of the other.
        const bool begins = shorter.size() >= 3 && name.starts_with(shorter) && compared.starts_with(shorter);
        const std::size_t found = begins ? 1 : distance(name, compared);
        if (found < least) {
            least = found;
            best = &other;
        }
    }
    return best ? fill(error_text("similar-name").what, {*best})
                : fill(error_text("known-names").what, {list_names(known)});
}

}  // namespace divisi::task
