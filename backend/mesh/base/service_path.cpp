// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/base/service_path.h"

#include <algorithm>

namespace divisi::mesh::inline base {

bool is_path(std::string_view text) {
    char before = '/';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= 0x20 || byte == 0x7f || (c == '/' && before == '/')) return false;
        before = c;
    }
    return before != '/';
}

std::size_t components(std::string_view path) {
    return path.empty() ? 0 : 1 + static_cast<std::size_t>(std::ranges::count(path, '/'));
}

bool is_under(std::string_view name, std::string_view prefix) {
    return name.starts_with(prefix) && (name.size() == prefix.size() || name[prefix.size()] == '/');
}

std::string_view parent(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view first_component(std::string_view path) { return path.substr(0, path.find('/')); }

}  // namespace divisi::mesh::inline base
