// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace divisi::node {

/// Follows the file with a process's output and returns new lines.
class OutputReader {
public:
    explicit OutputReader(std::filesystem::path file) : file_(std::move(file)) {}

    /// Returns the lines in the next most_read bytes. An incomplete line below most_read bytes waits for the next call.
    std::vector<std::string> read();
    /// Returns all remaining output of a process that has ended, including an incomplete last line. If more than
    /// most_last bytes remain, returns the newest lines, after a line with the number of skipped bytes.
    std::vector<std::string> read_last();

    static constexpr std::size_t most_read = 64u << 10, most_last = 1u << 20;

private:
    void take(std::uintmax_t most);
    std::vector<std::string> whole_lines();

    std::filesystem::path file_;
    std::uintmax_t read_ = 0;  ///< number of bytes read
    std::string rest_;         ///< incomplete last line
};

}  // namespace divisi::node
