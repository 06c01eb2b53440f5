// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "backend/mesh/forwarding/flow_table.h"
#include "backend/mesh/forwarding/relay_context.h"

namespace divisi::mesh::inline forwarding {

/// Collects a device's reports to the SMO: the measurements of the current period (signaling type 5), and abnormal
/// states.
class QualityReports {
public:
    QualityReports(RelayContext& context, FlowTable& flows) : context_(context), flows_(flows) {}

    /// Sets the time after which a used-up promise is an abnormal state.
    void set_full_for(Duration full_for) { full_for_ = full_for; }
    /// If the current period of measurement has ended, begins the next one and returns true.
    bool try_begin_period();
    /// Returns the number of the period that the qualities describe.
    std::uint64_t period() const { return period_; }

    /// Returns the flows that a neighbour forwards, or for which it still holds chunks.
    std::vector<FlowKey> flows_by(RoutingId neighbour) const;
    /// Reports that an abnormal state of these flows has begun or ended.
    void report(AbnormalKind kind, RoutingId neighbour, TimePoint since, const std::vector<FlowKey>& flows);
    /// Reports promises that became used up or free again.
    void report_full_buffers();

private:
    using FullBuffer = std::pair<FlowKey, RoutingId>;  ///< the flow, and the neighbour that has used up its credit
    std::map<FullBuffer, TimePoint> full_buffers();

    RelayContext& context_;
    FlowTable& flows_;
    Duration full_for_ = relay::Policy().full_for;
    std::map<FullBuffer, TimePoint> full_;  ///< reported full buffers, with their start
    std::uint64_t period_ = 0;
    TimePoint measured_{};
};

}  // namespace divisi::mesh::inline forwarding
