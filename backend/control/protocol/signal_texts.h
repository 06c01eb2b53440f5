// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backend/control/protocol/message_fwd.h"
#include "backend/control/types/mesh_types.h"
#include "backend/control/types/policy_types.h"

namespace divisi::control::inline protocol {

// Texts of signaling types 1, 3 and 5 for clients that show the signaling. These clients also show RSVP messages and
// types 2 and 4. Types 1, 3 and 5 use the control connection, so the orchestrator records their content when they
// arrive or are sent. A text is a title line, then one line for each field. A field's name ends at the first space.

/// Kinds of these records. Their numbers follow the numbers of the kinds that devices report (SignalKind).
inline constexpr SignalKind registration_signal{3}, request_signal{4}, report_signal{5};

/// Returns the signaling type of a kind, 1 to 5; 0: RSVP.
int signaling_type(SignalKind kind);
/// Returns whether the orchestrator sent this record of type 1, 2, 3 or 5 to devices. Otherwise the orchestrator
/// received the record.
bool is_told_to_devices(const SignalRecord& record);
/// Returns the SID of the instance that a record registers. Returns an empty text for all other records, including the
/// records of devices.
std::string registered_sid(const SignalRecord& record);

/// Describes a registration (type 1) as the registry accepted it. The first word is the SID.
std::string describe(const mesh::Registration& said);
/// Describes the registration of a gateway or router.
std::string describe(const DeviceInfo& info);
/// Describes a decision of a gateway's AAM (type 3).
std::string describe(const RequestRecord& request);
/// Describes a device's report (type 5, from the device): the quality of neighbours and flows, at most
/// most_reported_rows of each. `name_of` names devices by their routing identifier.
std::string describe(const DeviceReport& report, const std::function<std::string(std::uint32_t)>& name_of);
/// Describes the policy that is sent to all devices (type 5, to the devices).
std::string describe(const PolicyVersion& policy);

inline constexpr std::size_t most_reported_rows = 8;

/// Returns a record with this text. `from` is the sending device; 0: the orchestrator or an instance. The record's `to`
/// is 0: the orchestrator, or all devices. Truncates the text to the length of a log detail (clipped() of
/// input_limits.h).
SignalRecord noted(SignalKind kind, TimePoint now, std::uint32_t from, std::string text);
/// Returns the records of types 3 and 5 in a report. `from` and `role`: routing identifier and role of the device.
std::vector<SignalRecord> noted(const DeviceReport& report, TimePoint now, std::uint32_t from, mesh::DeviceRole role,
                                const std::function<std::string(std::uint32_t)>& name_of);

}  // namespace divisi::control::inline protocol
