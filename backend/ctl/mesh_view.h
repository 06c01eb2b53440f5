// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "backend/ctl/commands.h"

namespace divisi::ctl {

/// What commands about gateways and routers share.

/// "mg-1"; "device 7" for one that is no longer there.
std::string name_of(const control::MeshState& mesh, std::uint32_t id);
/// "1.3 s ago": when a lease was renewed last.
std::string renewed_text(std::int64_t ms);
/// "cut", "20 MB/s, +10 ms"; empty where the link between the two is whole.
std::string fault_between(const control::MeshState& mesh, const std::string& a, const std::string& b);
std::string to_text(const control::LinkFault& fault);

/// The path by which the device's kernel sends what a flow has for its next gateway (SRv6); null where it goes hop by
/// hop, or directly.
const control::SegmentPath* carried_by(const control::DeviceView& device, const control::FlowReport& flow);

/// Hands over the messages that came after `last`, until the orchestrator has no more; `last` follows.
Result<void> fetch_signals(Session& session, std::uint64_t& last,
                           const std::function<void(const control::SignalRecord&)>& take);
/// Who follows them asks again after this time; devices report twice a second.
inline constexpr std::chrono::milliseconds signals_interval{500};

}  // namespace divisi::ctl
