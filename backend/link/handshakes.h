// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backend/base/clock.h"

namespace divisi::link {

/// Limit on distinct refused keys remembered between two reports, so that invented keys cannot fill the memory.
inline constexpr std::size_t most_told_keys = 64;
/// Minimum interval between reports.
inline constexpr Duration handshake_news_interval = std::chrono::seconds(10);

/// Timeout for the handshake of a peer on tcp; afterwards its descriptor is freed.
inline constexpr Duration handshake_limit = std::chrono::seconds(5);

/// Counts failed connections on tcp since the process began.
struct FailedHandshakes {
    std::uint64_t refused_keys = 0;  ///< connections whose key is not, or no longer, on the access list
    std::uint64_t unfinished = 0;    ///< connections whose peer did not complete the handshake
    bool operator==(const FailedHandshakes&) const = default;
};

/// Counts failed handshakes. Any thread may use it.
class HandshakeCounter {
public:
    void refuse(const std::string& public_key);
    void leave_unfinished();
    FailedHandshakes counted() const;
    /// Returns and forgets the keys refused since the last call, sorted. At most most_told_keys are remembered in
    /// between.
    std::vector<std::string> take_keys();

private:
    mutable std::mutex mutex_;
    FailedHandshakes counted_;
    std::set<std::string> keys_;
};

/// Reports failed handshakes: the first one immediately, and all later ones in one report per handshake_news_interval.
class HandshakeNews {
public:
    std::vector<std::string> since_last(HandshakeCounter& counter, TimePoint now);

private:
    FailedHandshakes told_;
    std::optional<TimePoint> said_;
};

}  // namespace divisi::link
