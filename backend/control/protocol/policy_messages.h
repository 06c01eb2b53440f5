// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/control/types/admission_types.h"
#include "backend/control/types/policy_types.h"
#include "backend/mesh/base/device.h"

namespace divisi::control::inline protocol {

// Messages about policies of gateways and routers, admission, and abnormal states.

/// Signaling type 3. Sent to a gateway when it registers and at every change, not answered: everything that it may
/// admit. The policy is valid during the connection, and afterwards for the grace time that the gateway was started
/// with.
struct AdmissionPolicy {
    std::uint64_t version = 0;
    std::vector<AdmissionRule> rules;
    std::vector<std::string> revoked_keys;    ///< keys that are denied regardless of the rules
    std::vector<AdmissionOrder> orders = {};  ///< orders that are checked before the rules, the most specific first
};
/// Sent by clients. Answered by Requests, with the kept requests whose number is above `after`, or by Refused.
struct QueryRequests {
    std::uint64_t after = 0;
    std::string gateway;   ///< name of the gateway; empty: all gateways
    TaskId task;           ///< empty: all tasks
    bool refused = false;  ///< whether only requests that were not admitted are wanted
};
struct Requests {
    std::vector<RequestRecord> records;  ///< records in the order of their numbers
    bool more = false;
};
/// Signaling type 5, from the orchestrator to devices. Sent to a gateway or router when it registers and at every
/// change. Answered by PolicyAnswer.
struct DevicePolicy {
    std::uint64_t version = 0;
    std::vector<PolicyEntry> entries;
};
/// The device applies this version from now on, or names the first entry that it refuses. It applies all others.
struct PolicyAnswer {
    std::uint64_t version = 0;
    std::optional<Error> refused;
};
/// Sent by operators: settings of the form "KEY=VALUE" or "KEY=default". Answered by PolicyNumber.
struct SetPolicies {
    using Answer = struct PolicyNumber;
    std::vector<std::string> settings;
};
/// Sent by operators: makes a new policy version with the entries of the given version; 0 stands for the previous
/// version. Answered by PolicyNumber.
struct RollBackPolicies {
    using Answer = struct PolicyNumber;
    std::uint64_t version = 0;
};
struct PolicyNumber {
    std::uint64_t version = 0;
};
/// Sent by clients. Answered by PoliciesState.
struct QueryPolicies {
    using Answer = struct PoliciesState;
};
struct PoliciesState {
    std::uint64_t current = 0;
    std::vector<PolicyVersion> versions;  ///< versions in ascending order
    std::vector<PolicyAtDevice> devices;
    std::vector<PathStanding> paths;
};
/// Sent by a gateway or router at once when an abnormal state begins or ends. Not answered.
struct AbnormalState {
    mesh::AbnormalKind kind = mesh::AbnormalKind::neighbour_silent;
    std::uint32_t neighbour = 0;
    TimePoint since{};
    std::vector<AbnormalFlow> flows;
};

}  // namespace divisi::control::inline protocol
