// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace divisi::process {

/// A message from a parent to a child over the pipe of ChildSpec::told: a list of words. A zero byte follows each word,
/// and one more ends the list. Words are not empty and contain no zero byte, like file names.
using Words = std::vector<std::string>;

std::string encode_words(const Words& words);

/// Assembles lists from bytes as they arrive. A list beyond the limit does not come from our parent; it and everything
/// after it is dropped.
class WordReader {
public:
    /// Takes bytes; returns the lists that they complete, in order.
    std::vector<Words> take(std::string_view bytes);

    static constexpr std::size_t most_bytes = 1 << 16;  ///< several times the maximum that Child::tell() writes

private:
    Words words_;
    std::string word_;
    std::size_t bytes_ = 0;  ///< bytes of the incomplete list
};

}  // namespace divisi::process
