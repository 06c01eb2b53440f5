// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cctype>
#include <cstddef>
#include <string_view>

namespace divisi::topology {

/// Orders names naturally: "mic-2" before "mic-10". Names that differ only in leading zeros are compared byte by byte,
/// so that different names are never equal.
struct NaturalLess {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const {
        std::size_t i = 0, j = 0;
        while (i < a.size() && j < b.size()) {
            const std::size_t m = digits(a, i), n = digits(b, j);
            if (m == 0 || n == 0) {
                if (a[i] != b[j]) return a[i] < b[j];
                ++i, ++j;
                continue;
            }
            const std::string_view x = without_zeros(a.substr(i, m)), y = without_zeros(b.substr(j, n));
            if (x.size() != y.size()) return x.size() < y.size();
            if (x != y) return x < y;
            i += m, j += n;
        }
        const std::size_t left = a.size() - i, right = b.size() - j;
        return left != right ? left < right : a < b;
    }

private:
    static std::size_t digits(std::string_view text, std::size_t at) {
        std::size_t count = 0;
        while (at + count < text.size() && std::isdigit(static_cast<unsigned char>(text[at + count]))) ++count;
        return count;
    }
    static std::string_view without_zeros(std::string_view number) {
        while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
        return number;
    }
};

}  // namespace divisi::topology
