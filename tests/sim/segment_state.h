// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/result.h"

namespace divisi::sim {

/// The content of a snapshot: a segment at the end of a step. As in production, equal contents are one blob,
/// independent of writer and time.
struct SegmentState {
    std::int32_t first_op = 0;
    std::int64_t step = 0;
    std::vector<std::uint64_t> weights = {};  ///< weights of the segment's operators

    std::string bytes() const;
};

/// Decodes the output of bytes(). Fails with `corrupt` for anything else.
Result<SegmentState> read_state(const std::string& bytes);
/// Returns 64 hexadecimal digits, like the hash of a real blob.
std::string hash_of(const std::string& bytes);

}  // namespace divisi::sim
