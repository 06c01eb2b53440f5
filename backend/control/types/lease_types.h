// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/units.h"

namespace divisi::control::inline types {

// Compute leases of draft-li-coinrg-compute-resource-scheduling: what a task was granted, and what it consumed.

/// The kind of computation that is asked for (the draft's category).
enum class LeaseCategory : std::uint8_t { cpu = 1, gpu = 2 };

enum class LeaseState : std::uint8_t {
    granted = 1,    ///< a node's place is kept for the instance
    active = 2,     ///< the instance's device works
    finishing = 3,  ///< the task needs it no longer; the node has not given the place back
    reclaimed = 4,  ///< it has, or is presumed to; there is a receipt
};

const char* to_string(LeaseCategory category);
const char* to_string(LeaseState state);

/// The configuration that is asked for.
struct LeaseTerms {
    LeaseCategory category = LeaseCategory::cpu;
    std::string device = "cpu";  ///< cpu, cuda, cuda:1
    std::int32_t threads = 1;

    bool operator==(const LeaseTerms&) const = default;
};
LeaseTerms terms_on(const std::string& device, std::int32_t threads);

/// What an instance has consumed since its process began. What nothing measures is absent, which is not zero.
struct Usage {
    std::optional<std::int64_t> cpu_ms;                      ///< user and system, of all its threads
    std::optional<std::int64_t> gpu_ms;                      ///< as the device counts it
    std::optional<std::int64_t> energy_mj;                   ///< likewise
    std::optional<Bytes> peak_memory;                        ///< resident, at most
    std::optional<std::int64_t> bytes_sent, bytes_received;  ///< payload of tensors

    bool operator==(const Usage&) const = default;
};
/// Takes over what `newer` knows. These only grow: a smaller figure is of a report that was overtaken, and one below
/// zero is none.
void merge(Usage& usage, const Usage& newer);

struct InstanceUsage {
    InstanceId instance;
    Usage usage;
};

/// A granted compute resource: one place on one node for one instance. A waiting task of the same consumer may take it
/// over when that instance ends, with an instance of its own.
struct Lease {
    std::uint64_t number = 0;  ///< from 1, without gaps
    TaskId task;
    InstanceId instance;
    NodeId node;
    std::string consumer;  ///< who submitted the task, as the orchestrator knows it (queue_types.h)
    LeaseTerms terms;
    std::uint32_t share = 1;  ///< which of the tasks that have it one after the other: the first it was granted to
};

/// What becomes of one share of a lease, written once, when its node has the place back. A time that never came is
/// TimePoint{}; `granted` of a later share is when it was taken over.
struct Receipt {
    std::uint64_t number = 0;  ///< from 1, without gaps, in the order of the reclaims
    std::string cluster;
    Lease lease;
    TimePoint granted{}, activated{}, finished{}, reclaimed{};
    bool presumed = false;  ///< its node never said that it has the place back
    std::string reason;     ///< why it was finished, or how the instance's process ended
    Usage usage;
    TimePoint measured{};   ///< of the last figure in `usage`
    std::string previous;   ///< hash of the receipt before (receipt_hash() of receipt.h); empty: it is the first
    std::string signature;  ///< of signed_text() in receipt.h: Ed25519, 128 hexadecimal digits
    /// Which rules its line follows (receipt.h). A log says 0 of the first.
    std::uint32_t format = 2;
};

}  // namespace divisi::control::inline types
