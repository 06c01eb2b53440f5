// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "backend/base/clock_offset.h"
#include "backend/control/state/state.h"

namespace divisi::control::inline state {

/// The clocks of the machines that report, beside the orchestrator's.
class MachineClocks {
public:
    /// What to add to a time of this machine's clock to have the orchestrator's, where it is `now`.
    Duration offset(const std::string& machine, TimePoint sent, TimePoint now);
    /// When something was measured, in the orchestrator's time: never later than now, and now where nobody says when.
    TimePoint moment(const std::string& machine, TimePoint measured, TimePoint now);

private:
    std::map<std::string, ClockOffset> clocks_;  ///< of machines that reported within the last minute or so
};

/// Whose clock a node's processes have: those of one running system share one, whatever their nodes are called.
std::string clock_of(const ClusterState& state, const NodeId& node);

}  // namespace divisi::control::inline state
