// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "backend/frame/outbox.h"
#include "backend/mesh/base/token_bucket.h"

namespace divisi::mesh::inline forwarding {

struct ShaperConfig {
    double mic_bytes_per_s = 0;   ///< payload that the MIC's instances may send in total; 0: no limit
    double task_bytes_per_s = 0;  ///< payload that one task may send; 0: no limit
    bool operator==(const ShaperConfig&) const = default;
};

/// Delays chunks of a MIC's instances, so that neither a task nor the MIC exceeds its rate. Chunks of one task stay in
/// order; the tasks take turns. The senders' tensor slots limit the bytes held here, as they limit all data of the
/// senders at a gateway. `now` must never decrease.
class Shaper {
public:
    explicit Shaper(ShaperConfig config);

    /// Sets the rates, which also apply to chunks that are already held.
    void set_rates(ShaperConfig config);
    /// Returns whether a limit is set.
    bool limits() const { return config_.mic_bytes_per_s > 0 || config_.task_bytes_per_s > 0; }
    void take(frame::Chunk chunk);
    /// Returns the chunks that may be sent now, in this order. Call it after each take(), and several times per
    /// `burst_time`.
    std::vector<frame::Chunk> due(TimePoint now);
    /// Counts the chunks that could not be sent on arrival.
    std::uint64_t delayed() const { return delayed_; }

private:
    struct Line {
        TokenBucket bucket;
        std::deque<frame::Chunk> chunks;
        bool asked = false;  ///< whether the delay of its first chunk was already counted
    };
    bool pass_one(Line& line, TimePoint now, std::vector<frame::Chunk>& passed);

    ShaperConfig config_;
    TokenBucket mic_;
    std::map<std::uint64_t, Line> lines_;  ///< queues of waiting chunks, by task
    std::uint64_t last_ = 0;               ///< the task that had the last turn
    std::uint64_t delayed_ = 0;
};

/// Burst size, expressed as a time. After a pause, the bytes that the rate allows in this time may be sent at once, or
/// two chunks if that is more.
inline constexpr Duration burst_time = std::chrono::milliseconds(100);

}  // namespace divisi::mesh::inline forwarding
