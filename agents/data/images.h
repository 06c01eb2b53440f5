// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agents/data/source.h"

namespace divisi::data {

/// Pixels 0 to 255 become -1 to 1.
inline float normalize_pixel(unsigned value) { return static_cast<float>(value) / 127.5f - 1.0f; }

/// A pair of IDX files (the format of MNIST): uint8 images [n, H, W] or [n, C, H, W], labels [n] as uint8 or
/// int32. Checks headers, sizes and every label; `classes` 0 means the highest label plus one. Without `labels` (empty)
/// there is no target.
Result<std::unique_ptr<const Source>> open_idx(const std::string& images, const std::string& labels,
                                               std::int64_t classes);

/// A folder with one sub-folder of PNG files per class, classes numbered by name. All pictures have one size;
/// they are grey (C = 1) only if all are. Samples are mixed over the classes in an order that depends on
/// their names alone, so that a share cut from the end holds every class.
Result<std::unique_ptr<const Source>> open_png_folder(const std::string& folder);

}  // namespace divisi::data
