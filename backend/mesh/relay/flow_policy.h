// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "backend/frame/frame.h"
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline relay {

/// What the service mesh orchestrator (SMO) has set for flows, as a device goes by it. What is left out is set nowhere.
struct FlowRule {
    /// Of a flow's tensors, those that go by the first of its two paths, in percent. While one of the paths cannot be
    /// used, the other carries all.
    std::optional<std::uint8_t> first_share;
    /// The same of a flow of blobs; where it is not said, first_share counts for them too.
    std::optional<std::uint8_t> blob_share = std::nullopt;
    /// Bytes that a device promises to the flow on its path.
    std::optional<std::uint64_t> window;
    bool operator==(const FlowRule&) const = default;
};

/// The rules of one policy. For each figure of a flow the most specific rule holds: that of its two SIDs, then that of
/// its two gateways, then the one for all. What is said of blobs goes before what is said of all classes.
class FlowPolicy {
public:
    FlowRule all;
    std::map<std::pair<std::uint64_t, std::uint64_t>, FlowRule> by_sids;  ///< flow_id of source and destination
    std::map<std::pair<RoutingId, RoutingId>, FlowRule> by_gateways;

    FlowRule rule_for(const FlowKey& flow, RoutingId source, RoutingId destination) const;
    bool operator==(const FlowPolicy&) const = default;
};

/// The strand (FlowKey) of a tensor, given what share of them goes by the first path. Chunks of one tensor, and
/// questions about it, belong to one strand: their order within the tensor is what tells a receiver of lost ones. The
/// micro-batches of one step are spread evenly, and so are the steps of a flow with one tensor a step (additive
/// recurrences by the golden ratio and the square root of two).
std::uint8_t strand_of_tensor(const frame::FrameHeader& header, std::uint8_t first_share);

/// The same flow's other strand.
inline FlowKey other_strand(FlowKey key) {
    key.strand = key.strand == 0 ? 1 : 0;
    return key;
}

}  // namespace divisi::mesh::inline relay
