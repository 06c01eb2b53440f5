// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace divisi::process {

/// What a parent tells a child over the pipe of ChildSpec::told: a list of words, each followed by a zero byte, and one
/// more at the end. Words are not empty and hold no zero byte, as file names do not.
using Words = std::vector<std::string>;

std::string encode_words(const Words& words);

/// Puts lists together from bytes as they come. A list that grows past the limit is not from our parent: it and what
/// follows is dropped.
class WordReader {
public:
    /// Lists that are whole with these bytes, in order.
    std::vector<Words> take(std::string_view bytes);

    static constexpr std::size_t most_bytes = 1 << 16;  ///< some times what Child::tell() writes

private:
    Words words_;
    std::string word_;
    std::size_t bytes_ = 0;  ///< of the list that is not whole
};

}  // namespace divisi::process
