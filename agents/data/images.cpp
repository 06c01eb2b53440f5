// SPDX-License-Identifier: Apache-2.0
#include "agents/data/images.h"

#include <filesystem>

namespace divisi::data {

namespace {

Result<std::unique_ptr<const Source>> open_one(const std::string& path, const std::string& labels,
                                               const DatasetSpec& spec) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return open_png_folder(path);
    if (labels.empty() && spec.labelled) {
        return Error{ErrorCode::invalid_input, "an IDX image file needs a label file", path,
                     "name the files ...images... and ...labels..., or name the label file: labels = \"...\"; or name "
                     "a folder with one sub-folder of PNG files per class"};
    }
    return open_idx(path, labels, spec.classes);
}

}  // namespace

Result<Parts> open_images(const DatasetSpec& spec) {
    DIVISI_ASSIGN(auto whole, open_one(spec.path, spec.labels, spec));
    if (spec.validation.empty()) return split(spec, std::move(whole));
    DIVISI_ASSIGN(auto held_out, open_one(spec.validation, spec.validation_labels, spec));
    if (held_out->columns().front().dims != whole->columns().front().dims) {
        return Error{ErrorCode::invalid_input,
                     "validation images are " + format_dims(held_out->columns().front().dims) +
                         ", but training images are " + format_dims(whole->columns().front().dims),
                     spec.validation, "give the images of both parts the same size"};
    }
    if (held_out->classes() > whole->classes()) {
        return Error{ErrorCode::invalid_input,
                     "has " + std::to_string(held_out->classes()) + " classes, but the training part has " +
                         std::to_string(whole->classes()),
                     spec.validation, "use the same classes in both"};
    }
    return Parts{std::move(whole), std::move(held_out)};
}

}  // namespace divisi::data
