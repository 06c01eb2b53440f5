// SPDX-License-Identifier: Apache-2.0
#include "agents/node/output_reader.h"

#include <algorithm>
#include <fstream>
#include <utility>

namespace divisi::node {

/// Reads at most `most` bytes from the current position.
void OutputReader::take(std::uintmax_t most) {
    std::error_code code;
    const std::uintmax_t size = std::filesystem::file_size(file_, code);
    if (code || size <= read_) return;
    std::ifstream file(file_, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(read_));
    std::string text(std::min(size - read_, most), '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    read_ += text.size();
    rest_ += text;
}

std::vector<std::string> OutputReader::whole_lines() {
    std::vector<std::string> lines;
    std::size_t begin = 0;
    for (std::size_t end; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1)
        if (end > begin) lines.push_back(rest_.substr(begin, end - begin));
    rest_.erase(0, begin);
    return lines;
}

std::vector<std::string> OutputReader::read() {
    take(most_read);
    std::vector<std::string> lines = whole_lines();
    if (rest_.size() >= most_read) lines.push_back(std::exchange(rest_, {}));
    return lines;
}

std::vector<std::string> OutputReader::read_last() {
    std::vector<std::string> lines;
    std::error_code code;
    const std::uintmax_t size = std::filesystem::file_size(file_, code);
    if (!code && size > read_ && size - read_ > most_last) {
        const std::uintmax_t passed_over = size - most_last - read_;
        lines = whole_lines();
        lines.push_back("(" + std::to_string(passed_over + rest_.size()) + " bytes of its output are only in " +
                        file_.string() + ")");
        rest_.clear();
        read_ = size - most_last;
    }
    take(most_last);
    for (std::string& line : whole_lines()) lines.push_back(std::move(line));
    if (!rest_.empty()) lines.push_back(std::exchange(rest_, {}));
    return lines;
}

}  // namespace divisi::node
