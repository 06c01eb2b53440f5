// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>

#include "backend/control/protocol/message_fwd.h"
#include "backend/control/types/mesh_types.h"

namespace divisi::control::inline protocol {

/// Keeps the latest messages of gateways, routers, instances and the orchestrator, for captures and watchers: RSVP and
/// signaling types 1 to 5. Each kind has its own limit, so that many messages of one kind do not displace other kinds.
class SignalBook {
public:
    /// Adds the messages that a device reports as sent; `device` is its routing identifier. Drops messages that are
    /// too long or too many, and kinds that devices do not report.
    void take(std::uint32_t device, const std::vector<SignalRecord>& reported);
    void add(SignalRecord record);
    /// Keeps a record that already has a number, which must exceed all earlier numbers.
    void keep(SignalRecord record);
    /// Returns the number of the latest record; 0: none.
    std::uint64_t last_number() const { return last_; }
    /// Returns a page of the records after a number, in order.
    Signals after(std::uint64_t number) const;
    /// Returns how many records of each kind have ever arrived.
    const std::map<SignalKind, std::uint64_t>& counts() const { return counts_; }

private:
    std::map<SignalKind, std::deque<SignalRecord>> kept_;
    std::map<SignalKind, std::uint64_t> counts_;
    std::uint64_t last_ = 0;
};

/// Maximum number of RSVP messages kept for a capture: about 150 bytes each, half a minute of a busy task.
inline constexpr std::size_t most_kept_signals = 20'000;
/// Maximum number of messages kept for each of types 1 to 5: about 300 bytes each, minutes of a small mesh.
inline constexpr std::size_t most_kept_adverts = 2'000;
inline constexpr std::size_t most_kept(SignalKind kind) {
    return kind == SignalKind::rsvp ? most_kept_signals : most_kept_adverts;
}

}  // namespace divisi::control::inline protocol
