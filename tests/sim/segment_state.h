// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/result.h"

namespace divisi::sim {

/// What a snapshot holds: a segment at the end of a step. As in production, equal contents are one blob, whoever wrote
/// it and when.
struct SegmentState {
    std::int32_t first_op = 0;
    std::int64_t step = 0;
    std::vector<std::uint64_t> weights = {};  ///< of its operators

    std::string bytes() const;
};

/// `corrupt` for what bytes() did not make.
Result<SegmentState> read_state(const std::string& bytes);
/// 64 hexadecimal digits, as blobs have them.
std::string hash_of(const std::string& bytes);

}  // namespace divisi::sim
