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

    /// Whole lines; `all`: also the last one without its end, of a process that has ended. At most most_read bytes:
    /// what is beyond them comes with the next call.
    std::vector<std::string> read(bool all = false);

    static constexpr std::size_t most_read = 64u << 10;

private:
    std::filesystem::path file_;
    std::uintmax_t read_ = 0;  ///< bytes
    std::string rest_;         ///< of a line without its end
};

}  // namespace divisi::node
