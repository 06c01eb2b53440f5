// SPDX-License-Identifier: Apache-2.0
#include "backend/control/silence.h"

#include <algorithm>

namespace divisi::control {

TimePoint LivedTime::at(TimePoint now) {
    if (!asked_) lived_ = now;
    else if (now > *asked_) lived_ += std::min(now - *asked_, longest_step);
    asked_ = now;
    return lived_;
}

std::vector<PeerId> SilenceDetector::silent(TimePoint now) {
    const TimePoint lived = time_.at(now);
    std::vector<PeerId> found;
    for (const auto& [peer, heard] : heard_)
        if (lived - heard > limit_) found.push_back(peer);
    return found;
}

}  // namespace divisi::control
