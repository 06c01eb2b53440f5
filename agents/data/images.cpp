// SPDX-License-Identifier: Apache-2.0
#include "agents/data/images.h"

#include <filesystem>

namespace divisi::data {

std::string labels_beside(const std::string& images) {
    const std::filesystem::path path(images);
    std::string name = path.filename().string();
    constexpr std::string_view word = "images";
    const auto at = name.rfind(word);
    if (at == std::string::npos) return {};
    return (path.parent_path() / name.replace(at, word.size(), "labels")).string();
}

namespace {

Result<std::unique_ptr<const Source>> open_one(const std::string& path, std::string labels, std::int64_t classes) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return open_png_folder(path);
    if (labels.empty()) labels = labels_beside(path);
    if (labels.empty()) {
        return Error{ErrorCode::invalid_input, "an IDX image file needs a label file", path,
                     "name it: labels = \"...\"; or name a folder with one sub-folder of PNG files per class"};
    }
    return open_idx(path, labels, classes);
}

}  // namespace

Result<Parts> open_images(const DatasetSpec& spec) {
    DIVISI_ASSIGN(auto whole, open_one(spec.path, spec.labels, spec.classes));
    if (spec.validation.empty()) return split(spec, std::move(whole));
    DIVISI_ASSIGN(auto held_out, open_one(spec.validation, {}, spec.classes));
    if (held_out->columns().front().dims != whole->columns().front().dims) {
        return Error{ErrorCode::invalid_input,
                     "validation images are " + format_dims(held_out->columns().front().dims) + ", training images " +
                         format_dims(whole->columns().front().dims),
                     spec.validation, "give both parts one size"};
    }
    if (held_out->classes() > whole->classes()) {
        return Error{ErrorCode::invalid_input,
                     "has " + std::to_string(held_out->classes()) + " classes, the training part " +
                         std::to_string(whole->classes()),
                     spec.validation, "use the same classes in both"};
    }
    return Parts{std::move(whole), std::move(held_out)};
}

}  // namespace divisi::data
