// SPDX-License-Identifier: Apache-2.0
#include "agents/data/images.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "agents/data/file.h"

namespace divisi::data {
namespace {

// Maximum width and height in pixels. It limits the allocation that a malicious header can cause to 16384 x 16384 x 3
// bytes.
constexpr std::int64_t max_side = 16384;
constexpr std::int64_t max_file_bytes = 1LL << 30;
// Highest compression ratio of Deflate. A small file that claims a larger picture is malicious or damaged.
constexpr std::int64_t max_deflate_ratio = 1032;

std::int64_t png_number(const std::byte* bytes) {
    std::int64_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | std::to_integer<std::int64_t>(bytes[i]);
    return value;
}

Error broken_png(const std::string& path, std::string what) {
    return {ErrorCode::invalid_input, std::move(what), path, "replace the file, or remove it from the folder"};
}

}  // namespace

Result<PngHeader> check_png(const std::string& path) {
    constexpr std::array<unsigned char, 8> signature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    // A PNG begins with the signature, the first chunk's length, "IHDR", width, height, depth and color type.
    constexpr std::int64_t header_bytes = 26, chunk_frame_bytes = 12;
    DIVISI_ASSIGN(const auto file, File::open(path));
    if (file.size() > max_file_bytes) return broken_png(path, "has more than 1 GiB");
    std::array<std::byte, header_bytes> head{};
    if (file.size() < header_bytes) return broken_png(path, "is not a PNG file: it is too short");
    DIVISI_TRY(file.read(0, head));
    if (std::memcmp(head.data(), signature.data(), signature.size()) != 0)
        return broken_png(path, "is not a PNG file: wrong signature");
    if (std::memcmp(head.data() + 12, "IHDR", 4) != 0) return broken_png(path, "is a damaged PNG: no header chunk");
    PngHeader header{png_number(head.data() + 16), png_number(head.data() + 20), false};
    const auto color_type = std::to_integer<unsigned>(head[25]);
    header.color = color_type == PNG_COLOR_TYPE_RGB || color_type == PNG_COLOR_TYPE_RGB_ALPHA ||
                   color_type == PNG_COLOR_TYPE_PALETTE;
    if (header.width < 1 || header.height < 1 || header.width > max_side || header.height > max_side) {
        return broken_png(
            path, "has an impossible size " + std::to_string(header.width) + "x" + std::to_string(header.height));
    }
    const auto bits_of_sample = std::to_integer<std::int64_t>(head[24]);
    if (header.width * bits_of_sample / 8 * header.height > max_deflate_ratio * file.size())
        return broken_png(path, "is too short for the size in its header");
    for (std::int64_t at = 8;;) {
        std::array<std::byte, 8> chunk{};
        if (at + chunk_frame_bytes > file.size()) return broken_png(path, "is a truncated PNG");
        DIVISI_TRY(file.read(at, chunk));
        if (std::memcmp(chunk.data() + 4, "IEND", 4) == 0) return header;
        at += chunk_frame_bytes + png_number(chunk.data());
    }
}

Result<std::vector<std::uint8_t>> decode_png(const std::string& path, const PngHeader& header, int channels) {
    DIVISI_ASSIGN(const auto file, File::open(path));
    if (file.size() > max_file_bytes) return broken_png(path, "has more than 1 GiB");
    std::vector<std::byte> encoded(static_cast<std::size_t>(file.size()));
    DIVISI_TRY(file.read(0, encoded));

    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    const auto failed = [&] {
        Error error = broken_png(path, std::string("is a damaged PNG: ") + image.message);
        png_image_free(&image);
        return error;
    };
    if (png_image_begin_read_from_memory(&image, encoded.data(), encoded.size()) == 0) return failed();
    if (image.width != header.width || image.height != header.height) {
        png_image_free(&image);
        return broken_png(path, "its size has changed while in use");
    }
    image.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
    std::vector<std::uint8_t> interleaved(PNG_IMAGE_SIZE(image));
    const png_color black{0, 0, 0};
    if (png_image_finish_read(&image, &black, interleaved.data(), 0, nullptr) == 0) return failed();
    if (channels == 1) return interleaved;
    std::vector<std::uint8_t> planar(interleaved.size());
    const std::size_t plane = planar.size() / static_cast<std::size_t>(channels);
    for (std::size_t pixel = 0; pixel < plane; ++pixel)
        for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c)
            planar[c * plane + pixel] = interleaved[pixel * static_cast<std::size_t>(channels) + c];
    return planar;
}

}  // namespace divisi::data
