// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/result.h"
#include "backend/base/units.h"
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline registry {

/// Whether an instance accepts work, according to its own report.
enum class Health : std::uint8_t {
    pending = 1,   ///< the instance has started, and does not accept work yet
    active = 2,    ///< the instance accepts work
    draining = 3,  ///< the instance finishes its work, and accepts no new work
    faulted = 4,   ///< the instance cannot work
};
const char* to_string(Health health);

/// The capability of an instance, as measured by its node. 0: not measured.
struct Capability {
    double flops_per_s = 0;
    Bytes memory = 0;
    std::string device;  ///< device that computes, e.g. "cpu", "cuda:0"
    bool operator==(const Capability&) const = default;
};

/// The state of a registration's lease.
enum class LeaseStanding : std::uint8_t {
    held = 0,    ///< the lease was renewed within its length
    stale = 1,   ///< the lease is overdue but kept, because too many are overdue at once (self-preservation)
    lapsed = 2,  ///< the lease was not renewed in time, or was given back
};
const char* to_string(LeaseStanding standing);

struct Address {
    std::string endpoint;  ///< address, e.g. "tcp://10.0.0.7:7400"
    std::string key;       ///< public key of the listener; empty if none is required
    bool operator==(const Address&) const = default;
};

/// An instance's registration (signaling type 1).
struct Registration {
    std::string prefix;  ///< the SID or a path above it; the instance answers for every name below the prefix
    Sid sid;             ///< SID: task/unit/replica, or longer for a part of a unit
    Incarnation incarnation = 0;
    std::string resource_type;  ///< category of draft 004: "cpu", "gpu", "memory"
    Capability capability;
    Address address;
    MicId mic;
    NodeId node;
    std::string input_schema, output_schema;
    Health health = Health::pending;
    TaskId task;
    Generation generation = 0;
    bool operator==(const Registration&) const = default;
};

/// A connection from a device to a neighbour, as measured by the device.
struct DeviceLink {
    std::string neighbour;  ///< name of a gateway or router
    Duration latency{};
    double bytes_per_s = 0;
    bool operator==(const DeviceLink&) const = default;
};

/// Rates at which a gateway lets the instances of its MIC send: in total, and per task. 0: not limited.
struct RateLimits {
    double mic_bytes_per_s = 0, task_bytes_per_s = 0;
    bool operator==(const RateLimits&) const = default;
};

/// A gateway's or router's registration (draft 002, 4.4 1).
struct DeviceRegistration {
    std::string name;  ///< name of the component as a path, e.g. "mic-1/gateway"
    Incarnation incarnation = 0;
    DeviceRole role = DeviceRole::router;
    std::vector<Address> addresses;
    std::vector<DeviceLink> links;
    Bytes buffer = 0;
    RateLimits limits;
    std::string version;
    bool operator==(const DeviceRegistration&) const = default;
};

// Limits on what a peer can make the registry store; every field is bounded, because registrations come from outside.
inline constexpr std::size_t longest_name = 255;  ///< bytes of a SID, prefix, name, endpoint, key or other short text
inline constexpr std::size_t longest_schema = 4096;
inline constexpr std::size_t most_addresses = 16;
inline constexpr std::size_t most_device_links = 1024;

/// Checks a registration; fails with `invalid_input` if it breaks a rule or exceeds a limit above.
Result<void> check(const Registration& registration);
Result<void> check(const DeviceRegistration& registration);

}  // namespace divisi::mesh::inline registry
