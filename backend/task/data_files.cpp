// SPDX-License-Identifier: Apache-2.0
#include "backend/task/data_files.h"

namespace divisi::task {

std::vector<DataFile> data_files(const DataSection& section, bool labelled) {
    std::vector<DataFile> files;
    const auto add = [&](const char* purpose, const std::string& path, bool derived = false) {
        if (!path.empty()) files.push_back({purpose, path, derived});
    };
    const bool images = section.kind == "images" && labelled;
    add("data", section.path);
    if (!section.labels.empty()) add("labels", section.labels);
    else if (images) add("labels", labels_beside(section.path), true);
    add("validation", section.validation);
    if (images) add("validation_labels", labels_beside(section.validation), true);
    return files;
}

std::string labels_beside(const std::string& images) {
    constexpr std::string_view word = "images";
    const std::size_t name = images.rfind('/') + 1;  // 0 if there is no folder
    const std::size_t at = images.rfind(word);
    if (at == std::string::npos || at < name) return {};
    return std::string(images).replace(at, word.size(), "labels");
}

}  // namespace divisi::task
