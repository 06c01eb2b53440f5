// SPDX-License-Identifier: Apache-2.0
#include "agents/node/output_reader.h"

#include <algorithm>
#include <fstream>
#include <utility>

namespace divisi::node {

std::vector<std::string> OutputReader::read(bool all) {
    std::error_code code;
    const std::uintmax_t size = std::filesystem::file_size(file_, code);
    std::vector<std::string> lines;
    if (!code && size > read_) {
        std::ifstream file(file_, std::ios::binary);
        file.seekg(static_cast<std::streamoff>(read_));
        std::string text(std::min<std::uintmax_t>(size - read_, most_read), '\0');
        file.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
        read_ += text.size();
        rest_ += text;
    }
    std::size_t begin = 0;
    for (std::size_t end; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1)
        if (end > begin) lines.push_back(rest_.substr(begin, end - begin));
    rest_.erase(0, begin);
    const bool endless = rest_.size() >= most_read;
    if ((all || endless) && !rest_.empty()) lines.push_back(std::exchange(rest_, {}));
    return lines;
}

}  // namespace divisi::node
