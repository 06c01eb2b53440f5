// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>

#include "agents/data/file.h"
#include "agents/data/images.h"

namespace divisi::data {

namespace {

constexpr unsigned idx_uint8 = 0x08, idx_int32 = 0x0c;
// Size limit of a sample: a picture of 16384 x 16384 in 4 channels. A header that states a larger sample is invalid.
constexpr std::int64_t max_sample_bytes = 1LL << 30;
constexpr std::size_t label_chunk_bytes = 1 << 16;

struct IdxFile {
    File file;
    unsigned type = 0;
    std::vector<std::int64_t> dims;
    std::int64_t data_offset = 0;
};

std::uint32_t big_endian(const std::byte* bytes) {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | std::to_integer<std::uint32_t>(bytes[i]);
    return value;
}

Error broken(const std::string& path, std::string what, std::string next = "check that this is the right file") {
    return {ErrorCode::invalid_input, std::move(what), path, std::move(next)};
}

/// Reads the header of an IDX file: two zero bytes, element type, rank, one big-endian uint32 per dimension, then the
/// elements (http://yann.lecun.com/exdb/mnist).
Result<IdxFile> open_file(const std::string& path) {
    DIVISI_ASSIGN(auto file, File::open(path));
    std::array<std::byte, 4> magic{};
    if (file.size() < 8)
        return broken(path, "is not an IDX file: it has only " + std::to_string(file.size()) + " bytes");
    DIVISI_TRY(file.read(0, magic));
    if (magic[0] == std::byte{0x1f} && magic[1] == std::byte{0x8b})
        return broken(path, "is compressed", "unpack it first: gunzip " + path);
    if (magic[0] != std::byte{0} || magic[1] != std::byte{0})
        return broken(path, "is not an IDX file: it does not begin with two zero bytes");
    IdxFile idx{std::move(file), std::to_integer<unsigned>(magic[2]), {}, 4};
    const auto rank = std::to_integer<std::int64_t>(magic[3]);
    if (rank < 1 || rank > 4) return broken(path, "has " + std::to_string(rank) + " dimensions, not 1 to 4");
    std::array<std::byte, 16> sizes{};
    if (idx.file.size() < 4 + 4 * rank) return broken(path, "ends inside its header");
    DIVISI_TRY(idx.file.read(4, std::span(sizes).first(static_cast<std::size_t>(4 * rank))));
    for (std::int64_t i = 0; i < rank; ++i) idx.dims.push_back(big_endian(sizes.data() + 4 * i));
    idx.data_offset = 4 + 4 * rank;

    std::int64_t sample_bytes = idx.type == idx_int32 ? 4 : 1;
    for (std::size_t i = 1; i < idx.dims.size(); ++i) {
        if (idx.dims[i] < 1 || idx.dims[i] > max_sample_bytes / sample_bytes)
            return broken(path, "has an impossible size " + format_dims(idx.dims));
        sample_bytes *= idx.dims[i];
    }
    const std::int64_t expected = idx.data_offset + idx.dims[0] * sample_bytes;
    if (idx.file.size() != expected) {
        return broken(path,
                      "declares " + format_dims(idx.dims) + ", which needs " + std::to_string(expected) +
                          " bytes, but has " + std::to_string(idx.file.size()),
                      "the file is truncated or damaged: fetch it again");
    }
    return idx;
}

Result<std::int64_t> label_at(const IdxFile& labels, std::int64_t sample) {
    std::array<std::byte, 4> bytes{};
    if (labels.type == idx_uint8) {
        DIVISI_TRY(labels.file.read(labels.data_offset + sample, std::span(bytes).first(1)));
        return std::to_integer<std::int64_t>(bytes[0]);
    }
    DIVISI_TRY(labels.file.read(labels.data_offset + 4 * sample, bytes));
    return static_cast<std::int64_t>(static_cast<std::int32_t>(big_endian(bytes.data())));
}

class IdxSource final : public Source {
public:
    IdxSource(IdxFile images, std::optional<IdxFile> labels, std::int64_t classes)
        : images_(std::move(images)), labels_(std::move(labels)), classes_(classes) {
        std::vector<std::int64_t> dims(images_.dims.begin() + 1, images_.dims.end());
        if (dims.size() == 2) dims.insert(dims.begin(), 1);
        columns_ = {{"input", graph::DType::float32, dims}};
        if (labels_) columns_.push_back({"target", graph::DType::int64, {}});
        for (const auto dim : dims) pixels_ *= static_cast<std::size_t>(dim);
    }
    std::int64_t size() const override { return images_.dims[0]; }
    const std::vector<Column>& columns() const override { return columns_; }
    std::int64_t classes() const override { return classes_; }

    Result<Batch> gather(std::span<const std::int64_t> samples) const override {
        std::vector<std::byte> raw(pixels_);
        std::vector<float> pixels;
        std::vector<std::int64_t> targets;
        pixels.reserve(samples.size() * pixels_);
        for (const auto sample : samples) {
            const auto offset = images_.data_offset + sample * static_cast<std::int64_t>(pixels_);
            DIVISI_TRY(images_.file.read(offset, raw));
            for (const auto value : raw) pixels.push_back(normalize_pixel(std::to_integer<unsigned>(value)));
            if (!labels_) continue;
            DIVISI_ASSIGN(const auto label, label_at(*labels_, sample));
            targets.push_back(label);
        }
        const auto rows = static_cast<std::int64_t>(samples.size());
        std::vector<std::int64_t> dims{rows};
        dims.insert(dims.end(), columns_[0].dims.begin(), columns_[0].dims.end());
        Batch batch;
        batch.columns["input"] = take(graph::DType::float32, std::move(dims), std::move(pixels));
        if (labels_) batch.columns["target"] = take(graph::DType::int64, {rows}, std::move(targets));
        return batch;
    }

private:
    IdxFile images_;
    std::optional<IdxFile> labels_;
    std::int64_t classes_;
    std::size_t pixels_ = 1;
    std::vector<Column> columns_;
};

/// Returns the highest label; reads every label once.
Result<std::int64_t> highest_label(const IdxFile& labels, std::int64_t classes) {
    const std::int64_t width = labels.type == idx_int32 ? 4 : 1;
    std::vector<std::byte> chunk(label_chunk_bytes);
    std::int64_t highest = 0;
    for (std::int64_t first = 0; first < labels.dims[0];) {
        const auto count =
            std::min<std::int64_t>(labels.dims[0] - first, static_cast<std::int64_t>(label_chunk_bytes) / width);
        const auto bytes = std::span(chunk).first(static_cast<std::size_t>(count * width));
        DIVISI_TRY(labels.file.read(labels.data_offset + first * width, bytes));
        for (std::int64_t i = 0; i < count; ++i) {
            const std::byte* at = bytes.data() + i * width;
            const std::int64_t label =
                width == 1 ? std::to_integer<std::int64_t>(*at) : static_cast<std::int32_t>(big_endian(at));
            if (label < 0 || (classes > 0 && label >= classes)) {
                return broken(labels.file.path(),
                              "label " + std::to_string(label) + " of sample " + std::to_string(first + i) +
                                  " is out of range" +
                                  (classes > 0 ? "; there are " + std::to_string(classes) + " classes" : ""),
                              "set classes, or the model's size, to fit the labels");
            }
            highest = std::max(highest, label);
        }
        first += count;
    }
    return highest;
}

}  // namespace

Result<std::unique_ptr<const Source>> open_idx(const std::string& images_path, const std::string& labels_path,
                                               std::int64_t classes) {
    DIVISI_ASSIGN(auto images, open_file(images_path));
    if (images.type != idx_uint8 || images.dims.size() < 3) {
        return broken(images_path,
                      "contains no images: it has " + std::to_string(images.dims.size()) + " dimensions, type " +
                          std::to_string(images.type),
                      "give images as uint8 [n, H, W] or [n, C, H, W]; check that path and labels are not swapped");
    }
    if (images.dims[0] == 0) return broken(images_path, "contains no sample", "name a file with data");
    if (labels_path.empty())
        return std::unique_ptr<const Source>(std::make_unique<IdxSource>(std::move(images), std::nullopt, 0));
    DIVISI_ASSIGN(auto labels, open_file(labels_path));
    if ((labels.type != idx_uint8 && labels.type != idx_int32) || labels.dims.size() != 1) {
        return broken(labels_path,
                      "contains no labels: it has " + std::to_string(labels.dims.size()) + " dimensions, type " +
                          std::to_string(labels.type),
                      "give labels as uint8 or int32 [n]; check that path and labels are not swapped");
    }
    if (images.dims[0] != labels.dims[0]) {
        return broken(labels_path,
                      std::to_string(labels.dims[0]) + " labels for " + std::to_string(images.dims[0]) + " images of " +
                          images_path,
                      "give files that belong together");
    }
    DIVISI_ASSIGN(const auto highest, highest_label(labels, classes));
    const std::int64_t found = classes > 0 ? classes : highest + 1;
    return std::unique_ptr<const Source>(std::make_unique<IdxSource>(std::move(images), std::move(labels), found));
}

}  // namespace divisi::data
