// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/client/mailbox.h"
#include "backend/base/clock_offset.h"

namespace divisi::client {

/// Estimates the cluster's time, which stamps events and measurements, from a local clock and the received messages.
class ClusterTime {
public:
    /// Clocks that differ by less than this count as equal. The value allows for machine measurements, which arrive
    /// every two seconds and are a second old.
    static constexpr Duration slack = std::chrono::seconds(4);

    /// Learns from `mail`, which arrived at the local time `local`.
    void take(const Mail& mail, TimePoint local);
    TimePoint of(TimePoint local) const;

private:
    ClockOffset offset_;  ///< offset of the cluster's clock from the local one
};

}  // namespace divisi::client
