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

/// Whether an instance takes work, as it says itself.
enum class Health : std::uint8_t {
    pending = 1,   ///< started, does not take work yet
    active = 2,    ///< takes work
    draining = 3,  ///< finishes what it has, takes no new work
    faulted = 4,   ///< cannot work
};
const char* to_string(Health health);

/// What an instance can do, as its node has measured it. 0: not measured.
struct Capability {
    double flops_per_s = 0;
    Bytes memory = 0;
    std::string device;  ///< e.g. "cpu", "cuda:0"
    bool operator==(const Capability&) const = default;
};

/// How the lease of a registration stands.
enum class LeaseStanding : std::uint8_t {
    held = 0,    ///< renewed within its length
    stale = 1,   ///< overdue and kept, because too many are at once (self-preservation)
    lapsed = 2,  ///< not renewed for its length, or given back
};
const char* to_string(LeaseStanding standing);

struct Address {
    std::string endpoint;  ///< e.g. "tcp://10.0.0.7:7400"
    std::string key;       ///< public key of who listens there; empty where none is asked for
    bool operator==(const Address&) const = default;
};

/// What an instance says about itself (signaling type 1).
struct Registration {
    std::string prefix;  ///< the SID or a path above it: the instance answers for every name under it
    Sid sid;             ///< task/unit/replica, or longer for a unit below one
    Incarnation incarnation = 0;
    std::string resource_type;  ///< category of 004: "cpu", "gpu", "memory"
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

/// A connection from a device to a neighbour, as the device has measured it.
struct DeviceLink {
    std::string neighbour;  ///< name of a gateway or router
    Duration latency{};
    double bytes_per_s = 0;
    bool operator==(const DeviceLink&) const = default;
};

/// What a gateway lets the instances of its MIC send to others, all together and those of one task. 0: not limited.
struct RateLimits {
    double mic_bytes_per_s = 0, task_bytes_per_s = 0;
    bool operator==(const RateLimits&) const = default;
};

/// What a gateway or router says about itself (002 4.4 1).
struct DeviceRegistration {
    std::string name;  ///< a path, e.g. "mic-1/gateway"
    Incarnation incarnation = 0;
    DeviceRole role = DeviceRole::router;
    std::vector<Address> addresses;
    std::vector<DeviceLink> links;
    Bytes buffer = 0;
    RateLimits limits;
    std::string version;
    bool operator==(const DeviceRegistration&) const = default;
};

// What a peer can make the registry hold. Registrations come from outside, so that each of them is bounded.
inline constexpr std::size_t longest_name = 255;  ///< bytes of a SID, prefix, name, endpoint, key or other short text
inline constexpr std::size_t longest_schema = 4096;
inline constexpr std::size_t most_addresses = 16;
inline constexpr std::size_t most_device_links = 1024;

/// `invalid_input` where a registration breaks a rule or a bound above.
Result<void> check(const Registration& registration);
Result<void> check(const DeviceRegistration& registration);

}  // namespace divisi::mesh::inline registry
