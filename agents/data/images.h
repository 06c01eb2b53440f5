// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agents/data/source.h"
#include "backend/base/result.h"

namespace divisi::data {

/// Maps pixels from 0..255 to -1..1.
inline float normalize_pixel(unsigned value) { return static_cast<float>(value) / 127.5f - 1.0f; }

/// Opens a pair of IDX files (the format of MNIST): uint8 images [n, H, W] or [n, C, H, W], labels [n] as uint8 or
/// int32. Checks headers, sizes and every label. `classes` 0 means the highest label plus one. If `labels` is empty,
/// there is no target.
Result<std::unique_ptr<const Source>> open_idx(const std::string& images, const std::string& labels,
                                               std::int64_t classes);

/// Opens a folder with one sub-folder of PNG files per class; classes are numbered by name. All pictures must have the
/// same size. Samples are grey (C = 1) only if all pictures are grey. Samples of all classes are mixed in an order that
/// depends only on their file names. If the last part of the samples is split off, for example for evaluation, it
/// therefore contains nearly all classes.
Result<std::unique_ptr<const Source>> open_png_folder(const std::string& folder);

struct PngHeader {
    std::int64_t width = 0;
    std::int64_t height = 0;
    bool color = false;
};

/// Reads a PNG's header and visits all its chunks, so that a truncated file is detected without decoding.
Result<PngHeader> check_png(const std::string& path);

/// Decodes to 8 bits per channel, planar: [channels, height, width]. `channels` is 1 (grey) or 3 (RGB); alpha is
/// blended over black. The picture must have the size given in `header`.
Result<std::vector<std::uint8_t>> decode_png(const std::string& path, const PngHeader& header, int channels);

}  // namespace divisi::data
