// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/client/mailbox.h"
#include "backend/base/clock_offset.h"

namespace divisi::client {

/// Estimates the cluster's time, which stamps events and measurements, from a local clock and the received messages.
class ClusterTime {
public:
    /// Clocks that differ by less than this count as equal. The tolerance is needed because machine measurements arrive
    /// only every two seconds and are up to a second old.
    static constexpr Duration slack = std::chrono::seconds(4);

    /// Updates the estimate from `mail`, which arrived at the local time `local`.
    void take(const Mail& mail, TimePoint local);
    TimePoint of(TimePoint local) const;

private:
    ClockOffset offset_;  ///< how far the cluster's clock is behind the local one
};

}  // namespace divisi::client
