// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>

#include "backend/control/protocol/message.h"

namespace divisi::control::inline protocol {

/// The latest messages of gateways, routers, instances and the orchestrator, for captures and who watches: RSVP, and
/// signaling types 1 to 5. Each has a share of its own, so that many of one kind drive out none of another.
class SignalBook {
public:
    /// What a device says that it has sent; `device` is who it is. What no device can have sent is left out.
    void take(std::uint32_t device, const std::vector<SignalRecord>& reported);
    void add(SignalRecord record);
    /// One that has its number, above that of all before it.
    void keep(SignalRecord record);
    /// Of the latest; 0: none came.
    std::uint64_t last_number() const { return last_; }
    /// A page of those after a number, in the order of their numbers.
    Signals after(std::uint64_t number) const;
    /// All that ever came, by kind.
    const std::map<SignalKind, std::uint64_t>& counts() const { return counts_; }

private:
    std::map<SignalKind, std::deque<SignalRecord>> kept_;
    std::map<SignalKind, std::uint64_t> counts_;
    std::uint64_t last_ = 0;
};

/// RSVP messages that are kept for a capture: some 150 bytes each, half a minute of a busy task.
inline constexpr std::size_t most_kept_signals = 20'000;
/// Messages of each of types 1 to 5: some 300 bytes each, minutes of a small mesh.
inline constexpr std::size_t most_kept_adverts = 2'000;
inline constexpr std::size_t most_kept(SignalKind kind) {
    return kind == SignalKind::rsvp ? most_kept_signals : most_kept_adverts;
}

}  // namespace divisi::control::inline protocol
