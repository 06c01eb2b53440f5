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

/// Refused keys that are told apart between two news: who makes up keys fills no memory.
inline constexpr std::size_t most_told_keys = 64;
/// What came since the last time is told so often at most.
inline constexpr Duration handshake_news_interval = std::chrono::seconds(10);

/// A peer on tcp that has not finished its handshake holds a descriptor no longer than this.
inline constexpr Duration handshake_limit = std::chrono::seconds(5);

/// Connections on tcp that came to nothing, since the process began.
struct FailedHandshakes {
    std::uint64_t refused_keys = 0;  ///< of keys that are not on the access list, or not any more
    std::uint64_t unfinished = 0;    ///< of peers that did not speak the protocol, or not to its end
    bool operator==(const FailedHandshakes&) const = default;
};

/// Counts them. Any thread may.
class HandshakeCounter {
public:
    void refuse(const std::string& public_key);
    void leave_unfinished();
    FailedHandshakes counted() const;
    /// The keys refused since this was last called, sorted, at most most_told_keys: with every call others have room.
    std::vector<std::string> take_keys();

private:
    mutable std::mutex mutex_;
    FailedHandshakes counted_;
    std::set<std::string> keys_;
};

/// What to say of them: at once, then what came in each handshake_news_interval together.
class HandshakeNews {
public:
    std::vector<std::string> since_last(HandshakeCounter& counter, TimePoint now);

private:
    FailedHandshakes told_;
    std::optional<TimePoint> said_;
};

}  // namespace divisi::link
