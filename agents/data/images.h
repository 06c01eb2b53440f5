// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agents/data/source.h"

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

}  // namespace divisi::data
