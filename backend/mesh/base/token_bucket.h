// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "backend/base/clock.h"

namespace divisi::mesh::inline base {

/// Lets `per_s` of something pass each second, and `burst` of it at once after a pause. `per_s` 0: no limit.
class TokenBucket {
public:
    TokenBucket() = default;
    TokenBucket(double per_s, double burst) : per_s_(per_s), burst_(burst), left_(burst) {}

    /// Takes so many tokens, or none where there are fewer. `now` never goes back.
    bool take(TimePoint now, double tokens = 1) {
        if (per_s_ <= 0) return true;
        fill(now);
        if (left_ < tokens) return false;
        left_ -= tokens;
        return true;
    }
    /// Puts tokens in beside those that time brings.
    void add(double tokens) { left_ = std::min(burst_, left_ + tokens); }
    bool limits() const { return per_s_ > 0; }
    /// Whether it is as full as after a long pause: who keeps many of them may forget this one.
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
