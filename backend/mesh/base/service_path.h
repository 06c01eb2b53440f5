// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace divisi::mesh::inline base {

// SIDs and prefixes are paths: components separated by '/'. They are compared by component, so "gpt-1/stage-2" does not
// contain "gpt-1/stage-20".

inline constexpr std::size_t longest_service_path = 256;

/// Returns whether the text is a path: no component is empty or has a control character or a space.
bool is_path(std::string_view text);
/// Returns whether the path can be a SID or a prefix of SIDs: `task/unit/replica`, with fewer or more components.
inline bool is_service_path(std::string_view path) { return path.size() <= longest_service_path && is_path(path); }
std::size_t components(std::string_view path);
/// Returns whether `name` is `prefix` or lies below it.
bool is_under(std::string_view name, std::string_view prefix);
/// Returns the path without its last component; empty for a single component.
std::string_view parent(std::string_view path);
std::string_view first_component(std::string_view path);

}  // namespace divisi::mesh::inline base
