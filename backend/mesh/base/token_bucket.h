// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "backend/base/clock.h"

namespace divisi::mesh::inline base {

/// A rate limit: `per_s` tokens a second, and bursts of `burst` tokens after a pause. `per_s` 0: no limit.
class TokenBucket {
public:
    TokenBucket() = default;
    TokenBucket(double per_s, double burst) : per_s_(per_s), burst_(burst), left_(burst) {}

    /// Takes the tokens; if there are fewer, takes none and returns false. `now` must never decrease.
    bool take(TimePoint now, double tokens = 1) {
        if (per_s_ <= 0) return true;
        fill(now);
        if (left_ < tokens) return false;
        left_ -= tokens;
        return true;
    }
    /// Adds tokens in addition to the tokens that accrue with time.
    void add(double tokens) { left_ = std::min(burst_, left_ + tokens); }
    bool limits() const { return per_s_ > 0; }
    /// Returns whether the bucket is full, as after a long pause. An owner of many buckets may delete a full bucket.
    bool full(TimePoint now) const { return filled_to(now) >= burst_; }

private:
    void fill(TimePoint now) {
        left_ = filled_to(now);
        filled_ = now;
    }
    double filled_to(TimePoint now) const {
        if (filled_ == TimePoint()) return left_;
        return std::min(burst_, left_ + per_s_ * std::chrono::duration<double>(now - filled_).count());
    }

    double per_s_ = 0, burst_ = 0, left_ = 0;
    TimePoint filled_{};
};

}  // namespace divisi::mesh::inline base
