// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backend/control/protocol/message.h"

namespace divisi::control::inline protocol {

// Texts of signaling types 1, 3 and 5 for readers of signaling, who also see RSVP and types 2 and 4. These messages use
// the control connection, so the orchestrator notes their content when they arrive or are sent. A text is a title line,
// then one line for each field, whose name ends at the first space.

/// Kinds of these records. Their numbers follow those of the kinds that devices report (SignalKind).
inline constexpr SignalKind registration_signal{3}, request_signal{4}, report_signal{5};

/// Returns the signaling type of a kind, 1 to 5; 0: RSVP.
int signaling_type(SignalKind kind);
/// Returns whether the orchestrator sent this record of type 1, 2, 3 or 5 to devices; otherwise it received it.
bool is_told_to_devices(const SignalRecord& record);
/// Returns the SID of the instance that a record registers. Returns an empty text for all other records, including
/// those of devices.
std::string registered_sid(const SignalRecord& record);

/// Describes a registration (type 1) as the registry took it. The first word is the SID.
std::string describe(const mesh::Registration& said);
/// Describes the registration of a gateway or router.
std::string describe(const DeviceInfo& info);
/// Describes a decision of a gateway's AAM (type 3).
std::string describe(const RequestRecord& request);
/// Describes a device's report (type 5, up): the quality of neighbours and flows, at most most_reported_rows of each.
/// `name_of` names devices by their routing identifier.
std::string describe(const DeviceReport& report, const std::function<std::string(std::uint32_t)>& name_of);
/// Describes the policy that all devices are told (type 5, down).
std::string describe(const PolicyVersion& policy);

inline constexpr std::size_t most_reported_rows = 8;

/// Returns a record with such a text, from a device (0: the orchestrator or an instance) to the orchestrator or to all.
/// Cuts the text at the length of a log detail (clipped() of input_limits.h).
SignalRecord noted(SignalKind kind, TimePoint now, std::uint32_t from, std::string text);
/// Returns the records of types 3 and 5 in a report. `from` and `role` are the device's.
std::vector<SignalRecord> noted(const DeviceReport& report, TimePoint now, std::uint32_t from, mesh::DeviceRole role,
                                const std::function<std::string(std::uint32_t)>& name_of);

}  // namespace divisi::control::inline protocol
