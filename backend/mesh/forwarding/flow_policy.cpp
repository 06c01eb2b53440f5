// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/flow_policy.h"

#include <cmath>

namespace divisi::mesh::inline forwarding {
namespace {

/// Fractional parts of the golden ratio and of the square roots of two and three, times 2^64.
constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15, root_of_two = 0x6a09e667f3bcc908,
                        root_of_three = 0xbb67ae8584caa73b;

template <typename Key>
void overlay(FlowRule& rule, const std::map<Key, FlowRule>& rules, const Key& key) {
    const auto more = rules.find(key);
    if (more == rules.end()) return;
    if (more->second.first_share) rule.first_share = more->second.first_share;
    if (more->second.blob_share) rule.blob_share = more->second.blob_share;
    if (more->second.window) rule.window = more->second.window;
}

}  // namespace

FlowRule FlowPolicy::rule_for(const FlowKey& flow, RoutingId source, RoutingId destination) const {
    FlowRule rule = all;
    overlay(rule, by_gateways, {source, destination});
    overlay(rule, by_sids, {flow.source, flow.destination});
    if (flow.flow_class == FlowClass::blob && rule.blob_share) rule.first_share = rule.blob_share;
    return rule;
}

std::uint8_t path_index_of_tensor(const frame::FrameHeader& header, std::uint8_t first_share) {
    if (first_share >= 100) return 0;
    const frame::TensorKey& key = header.key;
    const frame::FrameKind kind = frame::carries_tensor(key.kind) ? key.kind : header.about;
    const std::uint64_t flow = (std::uint64_t{key.edge} << 8) | static_cast<std::uint8_t>(kind);
    const std::uint64_t place = static_cast<std::uint64_t>(key.microbatch) * golden_ratio +
                                static_cast<std::uint64_t>(key.step) * root_of_two + flow * root_of_three;
    return std::ldexp(static_cast<double>(place), -64) < first_share / 100.0 ? 0 : 1;
}

}  // namespace divisi::mesh::inline forwarding
