// SPDX-License-Identifier: Apache-2.0
#include "backend/process/words.h"

#include <utility>

namespace divisi::process {

std::string encode_words(const Words& words) {
    std::string bytes;
    for (const std::string& word : words) bytes += word + '\0';
    return bytes + '\0';
}

std::vector<Words> WordReader::take(std::string_view bytes) {
    std::vector<Words> lists;
    for (const char byte : bytes) {
        if (bytes_ >= most_bytes) break;
        ++bytes_;
        if (byte != '\0') {
            word_ += byte;
        } else if (!word_.empty()) {
            words_.push_back(std::exchange(word_, {}));
        } else {
            lists.push_back(std::exchange(words_, {}));
            bytes_ = 0;
        }
    }
    return lists;
}

}  // namespace divisi::process
