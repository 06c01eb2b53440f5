// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace divisi::task {

/// What to write instead of `name`: "did you mean 'steps'?" where one of `known` is close to it, else
/// "use one of a, b, c".
std::string suggest(std::string_view name, const std::vector<std::string>& known);

/// "a, b, c", cut off after a dozen.
std::string list_names(const std::vector<std::string>& names);

}  // namespace divisi::task
