// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/silence.h"

#include <algorithm>
#include <utility>

namespace divisi::control::inline protocol {

TimePoint LivedTime::at(TimePoint now) {
    if (!asked_) lived_ = now;
    else if (now > *asked_) lived_ += std::min(now - *asked_, longest_step);
    asked_ = now;
    return lived_;
}

std::vector<PeerId> SilenceDetector::silent(TimePoint now) {
    const TimePoint lived = time_.at(now);
    const bool late = asked_ && now - *asked_ > heartbeat_interval * 3 / 2;
    asked_ = now;
    std::vector<PeerId> found;
    for (const auto& [peer, heard] : heard_)
        if (lived - heard > limit_) found.push_back(peer);
    const std::vector<PeerId> before = std::exchange(suspects_, found);
    if (late)
        std::erase_if(found, [&](PeerId peer) { return !std::binary_search(before.begin(), before.end(), peer); });
    return found;
}

}  // namespace divisi::control::inline protocol
