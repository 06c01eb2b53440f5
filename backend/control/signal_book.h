// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>

#include "backend/control/message.h"

namespace divisi::control {

/// The latest messages of gateways, routers, instances and the orchestrator, for captures and who watches: RSVP, and
/// beside it signaling types 1 to 5, which must not drive out what is said about credit.
class SignalBook {
public:
    /// What a device says that it has sent; `device` is who it is. What no device can have sent is left out.
    void take(std::uint32_t device, const std::vector<SignalRecord>& reported);
    void add(SignalRecord record);
    /// A page of those after a number, in the order of their numbers.
    Signals after(std::uint64_t number) const;
    /// All that ever came, by kind.
    const std::map<SignalKind, std::uint64_t>& counts() const { return counts_; }

private:
    std::deque<SignalRecord> rsvp_, adverts_;
    std::map<SignalKind, std::uint64_t> counts_;
    std::uint64_t last_ = 0;
};

/// RSVP messages that are kept for a capture: some 150 bytes each, half a minute of a busy task.
inline constexpr std::size_t most_kept_signals = 20'000;
/// Messages of types 1 to 5: some 300 bytes each, minutes of a small mesh.
inline constexpr std::size_t most_kept_adverts = 4'000;

}  // namespace divisi::control
