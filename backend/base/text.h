// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace divisi {

/// Returns the length in bytes of the UTF-8 character at the front of `text`, or 0 if there is none. Follows RFC 3629:
/// no overlong form, no surrogate.
std::size_t character_length(std::string_view text);

/// Makes untrusted bytes safe to show in every terminal and JSON reader. The result is UTF-8. Each invalid byte and
/// each control character except line feed and tab becomes \xNN. A result of more than `most_bytes` is cut between
/// characters, and "..." is appended. Every message that quotes a file, a name or an argument must use this function.
std::string legible(std::string_view bytes, std::size_t most_bytes = std::string_view::npos);

/// Joins the names, as in "mg-1, sr-1, mg-2"; empty if there are none.
std::string joined(const std::vector<std::string>& names);

}  // namespace divisi
