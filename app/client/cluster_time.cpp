// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/cluster_time.h"

namespace divisi::client {

void ClusterTime::take(const Mail& mail, TimePoint local) {
    const auto said = [&](TimePoint at) {
        if (at > TimePoint{}) (void)offset_.take(at, local);
    };
    for (const control::Event& event : mail.events) said(event.time);
    for (const control::InstanceLoad& load : mail.loads) said(load.measured);
    for (const control::NodeMachine& node : mail.nodes) said(node.machine.measured);
}

TimePoint ClusterTime::of(TimePoint local) const {
    const Duration offset = offset_.offset();
    const bool same = offset == Duration::max() || (offset > -slack && offset < slack);
    return same ? local : local - offset;
}

}  // namespace divisi::client
