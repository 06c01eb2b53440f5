// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "backend/base/clock_offset.h"
#include "backend/control/state/state.h"

namespace divisi::control::inline state {

/// Relates the clocks of reporting machines to the orchestrator's clock.
class MachineClocks {
public:
    /// Returns the offset to add to a time of this machine's clock, such as `sent`, to get the orchestrator's time.
    /// `now` is the orchestrator's time at arrival.
    Duration offset(const std::string& machine, TimePoint sent, TimePoint now);
    /// Returns the time of a measurement by the orchestrator's clock, never later than `now`. Returns `now` if the time
    /// of the measurement is unknown.
    TimePoint moment(const std::string& machine, TimePoint measured, TimePoint now);

private:
    std::map<std::string, ClockOffset> clocks_;  ///< machines that reported within about the last minute
};

/// Returns the name of the clock that a node's processes use. Nodes of one running system share one clock, even if
/// their names differ.
std::string clock_of(const ClusterState& state, const NodeId& node);

}  // namespace divisi::control::inline state
