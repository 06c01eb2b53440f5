// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace divisi {

/// Bytes of the UTF-8 character at the front of `text` (RFC 3629: no overlong form, no surrogate); 0 where there is
/// none.
std::size_t character_length(std::string_view text);

/// Foreign bytes as text that every terminal and every JSON reader takes: UTF-8, with \xNN for each byte that is none
/// and for control characters but line feed and tab. What is longer than `most_bytes` is cut before a character and
/// ends in "...". Every message that quotes a file, a name or an argument goes through it.
std::string legible(std::string_view bytes, std::size_t most_bytes = std::string_view::npos);

/// "mg-1, sr-1, mg-2"; empty for none.
std::string joined(const std::vector<std::string>& names);

}  // namespace divisi
