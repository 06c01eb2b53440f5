// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace divisi::node {

/// Follows the file that a process's output goes to: what has come since it was read last, line by line.
class OutputReader {
public:
    explicit OutputReader(std::filesystem::path file) : file_(std::move(file)) {}

    /// Whole lines of the next most_read bytes: what is beyond them comes with the next call.
    std::vector<std::string> read();
    /// All that is left, of a process that has ended, also the last line without its end. Of more than most_last bytes
    /// the newest, behind a line that says how many bytes are passed over.
    std::vector<std::string> read_last();

    static constexpr std::size_t most_read = 64u << 10, most_last = 1u << 20;

private:
    void take(std::uintmax_t most);
    std::vector<std::string> whole_lines();

    std::filesystem::path file_;
    std::uintmax_t read_ = 0;  ///< bytes
    std::string rest_;         ///< of a line without its end
};

}  // namespace divisi::node
