// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace divisi::mesh {

inline constexpr std::size_t longest_service_path = 256;

/// Whether it can be a SID or a prefix of SIDs: names between single slashes, `task/unit/replica` or less or more.
constexpr bool is_service_path(std::string_view path) {
    return !path.empty() && path.size() <= longest_service_path && path.front() != '/' && path.back() != '/' &&
           path.find("//") == std::string_view::npos;
}

/// Whether `path` is `prefix` or lies below it: `gpt-1/stage-20/0` does not lie below `gpt-1/stage-2`.
constexpr bool is_under(std::string_view path, std::string_view prefix) {
    return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/');
}

}  // namespace divisi::mesh
