// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/result.h"

namespace divisi::data {

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
