// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace divisi::store {

/// Returns a pattern for LIKE ... ESCAPE '\' that finds `text` anywhere, with its wildcards taken literally.
inline std::string like(const std::string& text) {
    std::string pattern = "%";
    for (const char c : text) {
        if (c == '%' || c == '_' || c == '\\') pattern += '\\';
        pattern += c;
    }
    return pattern + "%";
}

}  // namespace divisi::store
