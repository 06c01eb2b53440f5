// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/units.h"

namespace divisi::control::inline types {

// Compute leases of draft-li-coinrg-compute-resource-scheduling: the resources granted to a task, and their
// consumption.

/// The kind of computation requested (the draft's category).
enum class LeaseCategory : std::uint8_t { cpu = 1, gpu = 2 };

enum class LeaseState : std::uint8_t {
    granted = 1,    ///< a place on a node is reserved for the instance
    active = 2,     ///< the instance's device is working
    finishing = 3,  ///< the task no longer needs the lease; the node's resources are not free again yet
    reclaimed = 4,  ///< the node's resources are free again, or presumed to be; a receipt exists
};

const char* to_string(LeaseCategory category);
const char* to_string(LeaseState state);

/// The requested configuration.
struct LeaseTerms {
    LeaseCategory category = LeaseCategory::cpu;
    std::string device = "cpu";  ///< device of the lease: cpu, cuda, cuda:1
    std::int32_t threads = 1;

    bool operator==(const LeaseTerms&) const = default;
};
LeaseTerms terms_on(const std::string& device, std::int32_t threads);

/// The consumption of an instance since its process began. A figure that is not measured is absent, not zero.
struct Usage {
    std::optional<std::int64_t> cpu_ms;                      ///< user and system time of all threads of the instance
    std::optional<std::int64_t> gpu_ms;                      ///< GPU time, as counted by the device
    std::optional<std::int64_t> energy_mj;                   ///< energy in millijoules, as counted by the device
    std::optional<Bytes> peak_memory;                        ///< peak resident memory
    std::optional<std::int64_t> bytes_sent, bytes_received;  ///< payload bytes of tensors

    bool operator==(const Usage&) const = default;
};
/// Merges newer figures. Consumption only grows, so a smaller figure comes from an older report, and a negative figure
/// is invalid. Ignores smaller and negative figures.
void merge(Usage& usage, const Usage& newer);

struct InstanceUsage {
    InstanceId instance;
    Usage usage;
};

/// A granted compute resource: one place on one node for one instance. When that instance ends, a waiting task of the
/// same consumer may take the lease over with its own instance.
struct Lease {
    std::uint64_t number = 0;  ///< number of the lease, from 1, without gaps
    TaskId task;
    InstanceId instance;
    NodeId node;
    std::string consumer;  ///< submitter of the task, determined by the orchestrator (queue_types.h)
    LeaseTerms terms;
    std::uint32_t share = 1;  ///< position among the tasks that hold the lease one after another, from 1
};

/// The record of one share of a lease, written once, when the node's resources are free again. A TimePoint{} stands for
/// an event that has not happened. For a later share, `granted` is the time of the take-over.
struct Receipt {
    std::uint64_t number = 0;  ///< from 1, without gaps, in the order of reclaims
    std::string cluster;
    Lease lease;
    TimePoint granted{}, activated{}, finished{}, reclaimed{};
    bool presumed = false;  ///< true: the node never reported the release of its resources
    std::string reason;     ///< why the lease was finished, or how the instance's process ended
    Usage usage;
    TimePoint measured{};   ///< time of the last figure in `usage`
    std::string previous;   ///< hash of the previous receipt (receipt_hash() of receipt.h); empty: this is the first
    std::string signature;  ///< signature of signed_text() in receipt.h: Ed25519, 128 hexadecimal digits
    /// Version of the rules for the receipt's line (receipt.h). 0 in a log means the first version.
    std::uint32_t format = 2;
};

}  // namespace divisi::control::inline types
