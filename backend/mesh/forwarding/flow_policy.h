// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "backend/frame/frame.h"
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline forwarding {

/// The settings of the service mesh orchestrator (SMO) for a flow, as devices apply them. Fields not set are empty.
struct FlowRule {
    /// Percentage of a flow's tensors that take the first of its two paths. While one path is unusable, all tensors
    /// take the other path.
    std::optional<std::uint8_t> first_share;
    /// The same percentage for flows of blobs; if not set, first_share applies to them too.
    std::optional<std::uint8_t> blob_share = std::nullopt;
    /// Bytes that each device on its path promises to the flow.
    std::optional<std::uint64_t> window;
    bool operator==(const FlowRule&) const = default;
};

/// The rules of one policy. For each field of a flow, the most specific rule applies: first the rule for its two SIDs,
/// then the rule for its two gateways, then the rule for all flows. A share for blobs takes precedence over the share
/// for all classes.
class FlowPolicy {
public:
    FlowRule all;
    std::map<std::pair<std::uint64_t, std::uint64_t>, FlowRule> by_sids;  ///< flow_id of source and destination
    std::map<std::pair<RoutingId, RoutingId>, FlowRule> by_gateways;

    FlowRule rule_for(const FlowKey& flow, RoutingId source, RoutingId destination) const;
    bool operator==(const FlowPolicy&) const = default;
};

/// Returns the path index (FlowKey) of a tensor, given the percentage of tensors for the first path. All chunks of a
/// tensor, and the questions about it, get the same path index, because the receiver detects lost chunks by their
/// order. The micro-batches of one step are spread evenly, and so are the steps of a flow with one tensor per step.
/// Method: additive recurrences by the golden ratio and by the square roots of two and three.
std::uint8_t path_index_of_tensor(const frame::FrameHeader& header, std::uint8_t first_share);

/// Returns the key of the same flow on its other path.
inline FlowKey with_other_path(FlowKey key) {
    key.path_index = key.path_index == 0 ? 1 : 0;
    return key;
}

}  // namespace divisi::mesh::inline forwarding
