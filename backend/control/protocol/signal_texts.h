// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backend/control/protocol/message.h"

namespace divisi::control::inline protocol {

// Signaling types 1, 3 and 5 for who reads signaling, beside RSVP and types 2 and 4. They are messages of the control
// connection, so that the orchestrator, where they arrive or begin, notes what each of them says: a line, then a line
// for each field, its name up to the first space.

/// Kinds of such records; their numbers go on behind those that devices report (SignalKind).
inline constexpr SignalKind registration_signal{3}, request_signal{4}, report_signal{5};

/// The number of its signaling type, 1 to 5; 0: RSVP.
int signaling_type(SignalKind kind);
/// Of types 1, 2, 3 and 5: whether the orchestrator told it to devices; the others were told to the orchestrator.
bool is_told_to_devices(const SignalRecord& record);
/// The SID of an instance whose registration it is: an instance is no device. Empty for all others.
std::string registered_sid(const SignalRecord& record);

/// Type 1: as the registry took it. The first word is the SID.
std::string describe(const mesh::Registration& said);
/// The registration of a gateway or router.
std::string describe(const DeviceInfo& info);
/// Type 3: what a gateway's AAM decided.
std::string describe(const RequestRecord& request);
/// Type 5, up: how well neighbours and flows fare, most_reported_rows of each. `name_of` names devices by their routing
/// identifier.
std::string describe(const DeviceReport& report, const std::function<std::string(std::uint32_t)>& name_of);
/// Type 5, down: the policy that all are told.
std::string describe(const PolicyVersion& policy);

inline constexpr std::size_t most_reported_rows = 8;

/// A record of such a text, from a device (0: the orchestrator or an instance) to the orchestrator or all; what is
/// longer than a detail of the log (clipped() of door.h) ends there.
SignalRecord noted(SignalKind kind, TimePoint now, std::uint32_t from, std::string text);
/// What a report brings of types 3 and 5. `from` and `role` are the device's.
std::vector<SignalRecord> noted(const DeviceReport& report, TimePoint now, std::uint32_t from, mesh::DeviceRole role,
                                const std::function<std::string(std::uint32_t)>& name_of);

}  // namespace divisi::control::inline protocol
