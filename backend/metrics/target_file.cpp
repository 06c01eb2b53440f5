// SPDX-License-Identifier: Apache-2.0
#include "backend/metrics/target_file.h"

#include <algorithm>
#include <system_error>
#include <vector>

namespace divisi::metrics {
namespace {

constexpr const char* target_ending = ".json";

}  // namespace

std::filesystem::path target_file(const std::filesystem::path& folder, const std::string& name) {
    std::string file = name;
    std::replace(file.begin(), file.end(), '/', '.');
    return folder / (file + target_ending);
}

/// The URL needs no JSON escapes, because it consists of an address and a fixed path.
std::string target_text(const std::string& url) {
    const std::size_t scheme = url.find("://");
    const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
    const std::size_t end = std::min(url.find('/', begin), url.size());
    return "[{\"targets\": [\"" + url.substr(begin, end - begin) + "\"]}]\n";
}

void remove_targets(const std::filesystem::path& folder) {
    std::error_code ignored;
    std::vector<std::filesystem::path> left;
    std::filesystem::directory_iterator entry(folder, ignored);
    for (; !ignored && entry != std::filesystem::directory_iterator(); entry.increment(ignored))
        if (entry->path().extension() == target_ending) left.push_back(entry->path());
    for (const std::filesystem::path& path : left) std::filesystem::remove(path, ignored);
}

}  // namespace divisi::metrics
