// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace divisi::process {

/// A message from a parent to a child over the pipe of ChildSpec::told: a list of words. A zero byte follows each word,
/// and one more ends the list. As with file names, a word is not empty and contains no zero byte.
using Words = std::vector<std::string>;

std::string encode_words(const Words& words);

/// Assembles lists from bytes as they arrive. A list beyond the limit does not come from the parent; the list and
/// everything after it are dropped.
class WordReader {
public:
    /// Adds bytes. Returns the lists that these bytes complete, in order.
    std::vector<Words> take(std::string_view bytes);

    static constexpr std::size_t most_bytes = 1 << 16;  ///< several times the maximum size of a write by Child::tell()

private:
    Words words_;
    std::string word_;
    std::size_t bytes_ = 0;  ///< bytes of the incomplete list
};

}  // namespace divisi::process
