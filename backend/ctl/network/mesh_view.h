// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "backend/control/types/fault_types.h"
#include "backend/control/types/mesh_types.h"
#include "backend/ctl/terminal/commands.h"

namespace divisi::ctl {

/// Helpers shared by the commands about gateways and routers.

/// Returns the name of a device, for example "mg-1", or "device 7" for a device that has left.
std::string name_of(const control::MeshState& mesh, std::uint32_t id);
/// Returns for example "1.3 s ago", the time since a lease was last renewed.
std::string renewed_text(std::int64_t ms);
/// Returns for example "cut" or "20 MB/s, +10 ms"; empty if the link between the two devices has no fault.
std::string fault_between(const control::MeshState& mesh, const std::string& a, const std::string& b);
std::string to_text(const control::LinkFault& fault);

/// Returns the path if the device's kernel sends the flow to its next gateway (SRv6). Returns null if the flow goes hop
/// by hop or directly.
const control::SegmentPath* carried_by(const control::DeviceView& device, const control::FlowReport& flow);

/// Fetches all messages after `last` and passes them to `take`. Advances `last`.
Result<void> fetch_signals(Session& session, std::uint64_t& last,
                           const std::function<void(const control::SignalRecord&)>& take);
/// Interval at which a command that follows messages polls; devices report twice a second.
inline constexpr std::chrono::milliseconds signals_interval{500};

}  // namespace divisi::ctl
