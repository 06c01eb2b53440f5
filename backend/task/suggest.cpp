// SPDX-License-Identifier: Apache-2.0
#include "backend/task/suggest.h"

#include <algorithm>
#include <numeric>

namespace divisi::task {

namespace {

constexpr std::size_t longest_compared = 64;  // hostile names must not make a message slow
constexpr std::size_t most_listed = 12;

/// Levenshtein's distance, one row at a time.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j + 1] + 1, row[j] + 1, changed});
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
    std::size_t least = std::max<std::size_t>(2, name.size() / 3) + 1;  // farther is no typing error
    for (const std::string& other : known) {
        const std::size_t found = distance(name, std::string_view(other).substr(0, longest_compared));
        if (found < least) {
            least = found;
            best = &other;
        }
    }
    return best ? "did you mean '" + *best + "'?" : "use one of " + list_names(known);
}

}  // namespace divisi::task
