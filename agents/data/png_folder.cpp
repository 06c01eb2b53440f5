// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "agents/data/images.h"
#include "backend/base/hash.h"

namespace divisi::data {
namespace {

namespace fs = std::filesystem;

// Limit of pictures, since each path takes about 100 bytes of memory. Larger sets belong in an IDX file.
constexpr std::size_t max_pictures = 10'000'000;
// Number of pictures that are decoded when the folder is opened. Decoding all pictures would delay a large training by
// minutes. Headers and chunks are always checked.
constexpr std::size_t decoded_at_open = 1000;

struct Picture {
    std::string path;
    std::int64_t label = 0;
};

class PngFolder final : public Source {
public:
    PngFolder(std::vector<Picture> pictures, PngHeader header, std::int64_t classes)
        : pictures_(std::move(pictures)),
          header_(header),
          classes_(classes),
          columns_{{"input", graph::DType::float32, {header.color ? 3 : 1, header.height, header.width}},
                   {"target", graph::DType::int64, {}}} {}
    std::int64_t size() const override { return static_cast<std::int64_t>(pictures_.size()); }
    const std::vector<Column>& columns() const override { return columns_; }
    std::int64_t classes() const override { return classes_; }

    Result<Batch> gather(std::span<const std::int64_t> samples) const override {
        const auto& dims = columns_[0].dims;
        std::vector<float> pixels;
        std::vector<std::int64_t> targets;
        pixels.reserve(samples.size() * static_cast<std::size_t>(dims[0] * dims[1] * dims[2]));
        for (const auto sample : samples) {
            const Picture& picture = pictures_[static_cast<std::size_t>(sample)];
            DIVISI_ASSIGN(const auto raw, decode_png(picture.path, header_, static_cast<int>(dims[0])));
            for (const auto value : raw) pixels.push_back(normalize_pixel(value));
            targets.push_back(picture.label);
        }
        const auto rows = static_cast<std::int64_t>(samples.size());
        Batch batch;
        batch.columns["input"] = take(graph::DType::float32, {rows, dims[0], dims[1], dims[2]}, std::move(pixels));
        batch.columns["target"] = take(graph::DType::int64, {rows}, std::move(targets));
        return batch;
    }

private:
    std::vector<Picture> pictures_;
    PngHeader header_;
    std::int64_t classes_;
    std::vector<Column> columns_;
};

Result<std::vector<fs::path>> sorted_entries(const fs::path& folder, bool folders) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        // An entry that cannot be inspected is not skipped here, so that opening it later reports the error with its
        // name.
        std::error_code unknown;
        const bool folder_or_unknown = at->is_directory(unknown) || unknown;
        const bool matches = folders ? folder_or_unknown : at->path().extension() == ".png";
        if (matches && !at->path().filename().string().starts_with('.')) found.push_back(at->path());
    }
    if (error) return Error{ErrorCode::failed, error.message(), folder.string(), "check the folder"};
    std::ranges::sort(found);
    return found;
}

/// Compares every picture's header with the first one's. The result is grey unless a picture has color.
Result<PngHeader> check_all(const std::vector<Picture>& pictures) {
    PngHeader common;
    for (const auto& picture : pictures) {
        DIVISI_ASSIGN(const auto header, check_png(picture.path));
        if (&picture == &pictures.front()) common = header;
        common.color = common.color || header.color;
        if (header.width != common.width || header.height != common.height) {
            return Error{ErrorCode::invalid_input,
                         "is " + std::to_string(header.width) + "x" + std::to_string(header.height) + ", but " +
                             pictures.front().path + " is " + std::to_string(common.width) + "x" +
                             std::to_string(common.height),
                         picture.path, "scale all pictures to one size"};
        }
    }
    for (std::size_t i = 0; i < std::min(pictures.size(), decoded_at_open); ++i) {
        if (auto decoded = decode_png(pictures[i].path, common, 1); !decoded) return std::move(decoded).error();
    }
    return common;
}

}  // namespace

Result<std::unique_ptr<const Source>> open_png_folder(const std::string& folder) {
    DIVISI_ASSIGN(const auto classes, sorted_entries(folder, true));
    std::vector<Picture> pictures;
    for (std::size_t label = 0; label < classes.size(); ++label) {
        DIVISI_ASSIGN(const auto files, sorted_entries(classes[label], false));
        if (files.empty()) {
            return Error{ErrorCode::invalid_input, "contains no .png file", classes[label].string(),
                         "every sub-folder is a class: add files to it, or remove it"};
        }
        for (const auto& file : files) pictures.push_back({file.string(), static_cast<std::int64_t>(label)});
        if (pictures.size() > max_pictures) {
            return Error{ErrorCode::invalid_input, "contains more than " + std::to_string(max_pictures) + " pictures",
                         folder, "pack the pictures into an IDX file"};
        }
    }
    if (pictures.empty()) {
        return Error{ErrorCode::invalid_input, "contains no sub-folder with .png files", folder,
                     "make one sub-folder per class"};
    }
    DIVISI_ASSIGN(const auto header, check_all(pictures));
    std::ranges::stable_sort(pictures, {}, [&](const Picture& picture) {
        return mix(fnv1a(fs::path(picture.path).lexically_relative(folder).string()), 0);
    });
    return std::unique_ptr<const Source>(
        std::make_unique<PngFolder>(std::move(pictures), header, static_cast<std::int64_t>(classes.size())));
}

}  // namespace divisi::data
