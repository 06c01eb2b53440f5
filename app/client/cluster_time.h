// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/client/mailbox.h"
#include "backend/base/clock_offset.h"

namespace divisi::client {

/// The cluster's time, in which events and measurements are stamped, told by a clock of this machine and what came from
/// the cluster.
class ClusterTime {
public:
    /// Clocks that differ by less count as the same: measurements of machines come every two seconds, a second old.
    static constexpr Duration slack = std::chrono::seconds(4);

    /// This came when this machine's clock said `local`.
    void take(const Mail& mail, TimePoint local);
    TimePoint of(TimePoint local) const;

private:
    ClockOffset offset_;  ///< of the cluster's clock
};

}  // namespace divisi::client
