// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "backend/frame/outbox.h"
#include "backend/mesh/base/token_bucket.h"

namespace divisi::mesh::inline relay {

struct ShaperConfig {
    double mic_bytes_per_s = 0;   ///< payload of all that the MIC's instances send; 0: no limit
    double task_bytes_per_s = 0;  ///< likewise of one task
    bool operator==(const ShaperConfig&) const = default;
};

/// Holds chunks of a MIC's instances back, so that neither a task nor the MIC sends more than its rate. Chunks of one
/// task stay in order, tasks take turns. What is held is bounded by the tensor slots of the senders, as what a gateway
/// has of them is anyhow. `now` never goes back.
class Shaper {
public:
    explicit Shaper(ShaperConfig config);

    /// What is held waits by the new rates.
    void set_rates(ShaperConfig config);
    /// Whether anything is ever held back.
    bool limits() const { return config_.mic_bytes_per_s > 0 || config_.task_bytes_per_s > 0; }
    void take(frame::Chunk chunk);
    /// Those that may go now, in this order. Ask after each take(), and several times in `burst_time`.
    std::vector<frame::Chunk> due(TimePoint now);
    /// Chunks that could not go as soon as they came.
    std::uint64_t delayed() const { return delayed_; }

private:
    struct Line {
        TokenBucket bucket;
        std::deque<frame::Chunk> chunks;
        bool asked = false;  ///< its first chunk could not go before
    };
    bool pass_one(Line& line, TimePoint now, std::vector<frame::Chunk>& passed);

    ShaperConfig config_;
    TokenBucket mic_;
    std::map<std::uint64_t, Line> lines_;  ///< by task
    std::uint64_t last_ = 0;               ///< task that had the last turn
    std::uint64_t delayed_ = 0;
};

/// After a pause so much of the rate may go at once, and two chunks of any size.
inline constexpr Duration burst_time = std::chrono::milliseconds(100);

}  // namespace divisi::mesh::inline relay
