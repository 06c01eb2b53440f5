// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace divisi::task {

/// Suggests a replacement for `name`: "did you mean 'steps'?" if one of `known` is similar, otherwise "use one of a, b,
/// c".
std::string suggest(std::string_view name, const std::vector<std::string>& known);

/// Lists names: "a, b, c", truncated after a dozen.
std::string list_names(const std::vector<std::string>& names);

}  // namespace divisi::task
