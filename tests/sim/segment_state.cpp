// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/segment_state.h"

#include <cinttypes>
#include <cstdio>
#include <sstream>

#include "backend/base/hash.h"

namespace divisi::sim {

std::string SegmentState::bytes() const {
    return std::to_string(stage) + " " + std::to_string(stages) + " " + std::to_string(step) + " " +
           std::to_string(weight);
}

Result<SegmentState> read_state(const std::string& bytes) {
    SegmentState state;
    std::istringstream words(bytes);
    words >> state.stage >> state.stages >> state.step >> state.weight;
    if (words.fail()) return Error{ErrorCode::corrupt, "no snapshot", bytes, "make another one"};
    return state;
}

std::string hash_of(const std::string& bytes) {
    std::string hash;
    for (std::uint64_t part = 0; part < 4; ++part) {
        char digits[17];
        std::snprintf(digits, sizeof digits, "%016" PRIx64, mix(fnv1a(bytes), part));
        hash += digits;
    }
    return hash;
}

}  // namespace divisi::sim
