// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/segment_state.h"

#include <cinttypes>
#include <cstdio>
#include <sstream>

#include "backend/base/hash.h"

namespace divisi::sim {

std::string SegmentState::bytes() const {
    std::string text = std::to_string(first_op) + " " + std::to_string(step);
    for (const std::uint64_t weight : weights) text += " " + std::to_string(weight);
    return text;
}

Result<SegmentState> read_state(const std::string& bytes) {
    SegmentState state;
    std::istringstream words(bytes);
    words >> state.first_op >> state.step;
    const bool is_state = !words.fail();
    for (std::uint64_t weight = 0; words >> weight;) state.weights.push_back(weight);
    if (!is_state || state.weights.empty()) return Error{ErrorCode::corrupt, "bad snapshot", bytes, "make another one"};
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
